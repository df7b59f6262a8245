import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryRunStore } from '../../../src/runs/memory-run-store.js';
import type { ClaimRequest, RunStore } from '../../../src/runs/run-store.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { databases, record, stopPostgres } from './stores.js';

/** A run that waits, a claim of some, or the end of the run that was claimed first. */
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('create' as const),
      workflow: fc.constantFrom('a', 'b', 'c', '日本'),
      priority: fc.constantFrom(0, 0, 0, 3, -2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('claim' as const),
      max: fc.integer({ min: 1, max: 30 }),
      total: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
      perWorkflow: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('end' as const), count: fc.nat({ max: 6 }) }) },
);

afterAll(stopPostgres);

describe.each(databases)('claims of $name', ({ skip, open }) => {
  beforeEach((context) => {
    if (skip !== undefined) context.skip(skip);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are those of the store in memory, whatever waits [stores.claims-agree]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
        // Every run waits since a time of its own; claims hold by the clock of the database.
        vi.useFakeTimers({ toFake: ['Date'] });
        const stores: RunStore[] = [new MemoryRunStore(), new SqlRunStore(await open())];
        const claimed: string[] = [];
        for (const one of actions) {
          vi.setSystemTime(Date.now() + 1);
          if (one.type === 'create') {
            const { definition } = record();
            const run = record({
              definition: { ...definition, id: one.workflow },
              ...(one.priority !== 0 && { priority: one.priority }),
            });
            for (const store of stores) await store.create(run, []);
          } else if (one.type === 'claim') {
            const { max, total, perWorkflow } = one;
            const request: ClaimRequest = {
              worker: 'w',
              leaseMs: 3_600_000,
              max,
              limits: {
                ...(total !== undefined && { total }),
                ...(perWorkflow !== undefined && { perWorkflow }),
              },
              begin: ({ status }) =>
                status === 'queued' ? { change: { status: 'running' }, events: [] } : undefined,
            };
            const [expected, found] = await Promise.all(stores.map((store) => store.claim(request)));
            const ids = expected!.map(({ lease }) => lease.run_id);
            expect(found!.map(({ lease }) => lease.run_id)).toEqual(ids);
            expect(found!.map(({ record: { status, revision } }) => [status, revision])).toEqual(
              expected!.map(({ record: { status, revision } }) => [status, revision]),
            );
            claimed.push(...ids);
          } else
            for (const id of claimed.splice(0, one.count))
              for (const store of stores)
                await store.update(id, { revision: 2, change: { status: 'completed' }, events: [] });
        }
        for (const store of stores) await store.close();
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('look at as many runs as they take, not at all that wait [stores.claims-agree]', async () => {
    const database = await open();
    const store = new SqlRunStore(database);
    const { definition } = record();
    for (let index = 0; index < 600; index += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, offset) =>
          store.create(record({ definition: { ...definition, id: `flow ${(index + offset) % 3}` } }), []),
        ),
      );
    const read: number[] = [];
    const watching = new SqlRunStore({
      engine: database.engine,
      location: database.location,
      now: database.now,
      read: (operation) => database.read(operation),
      write: (operation, options) =>
        database.write(
          (queries) =>
            operation(
              queries.withPlugin({
                transformQuery: ({ node }) => node,
                transformResult: async ({ result }) => {
                  read.push(result.rows.length);
                  return result;
                },
              }),
            ),
          options,
        ),
      close: () => database.close(),
    });
    const claims = await watching.claim({ worker: 'w', leaseMs: 60_000, max: 6 });
    expect(claims.map(({ record: { definition } }) => definition.id).sort()).toEqual([
      'flow 0',
      'flow 0',
      'flow 1',
      'flow 1',
      'flow 2',
      'flow 2',
    ]);
    expect(Math.max(...read)).toBeLessThanOrEqual(20);
    await store.close();
  }, 60_000);
});
