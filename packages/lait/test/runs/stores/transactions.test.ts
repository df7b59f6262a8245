import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/runs/stores/database/database.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { capabilityNode, counted, graphOf, hitl, hostOf, terminal } from '../graph-host.js';
import { databases, stopPostgres } from './stores.js';

/** The same database, which counts its transactions. */
function counting(database: Database): { database: Database; taken(): number } {
  let count = 0;
  let before = 0;
  const counted: Database = {
    engine: database.engine,
    location: database.location,
    now: database.now,
    read: (operation) => database.read(operation),
    write(operation, options) {
      count += 1;
      return database.write(operation, options);
    },
    close: () => database.close(),
  };
  return {
    database: counted,
    taken() {
      const since = count - before;
      before = count;
      return since;
    },
  };
}

afterAll(stopPostgres);

describe.each(databases)('what a run writes in $name', ({ skip, open }) => {
  let opened: Database;
  let counter: ReturnType<typeof counting>;
  beforeEach(async (context) => {
    if (skip !== undefined) context.skip(skip);
    opened = await open();
    counter = counting(opened);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await opened?.close();
  });

  /** Nothing is stored only because time has passed: a busy machine would make that happen anywhere. */
  const withoutTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  const chain = (count: number, key: string) =>
    graphOf(
      [
        ...Array.from({ length: count }, (_, index) => capabilityNode(`n${index}`, key)),
        terminal('end'),
        terminal('never'),
      ],
      [
        ...Array.from({ length: count - 1 }, (_, index) => `n${index}->n${index + 1}`),
        `n${count - 1}->end`,
        `n${count - 1}->never!`,
      ],
    );

  it.each([
    { effects: 'that may be repeated', idempotent: true, each: 1 },
    { effects: 'that may not', idempotent: false, each: 2 },
  ])(
    'is one transaction each for its beginning, its claim and its end, and $each an effect $effects [stores.one-flush]',
    async ({ idempotent, each }) => {
      const { capability, calls } = counted('effect', () => ({ ok: true }), { idempotent });
      const store = new SqlRunStore(counter.database);
      const { runs, start } = await hostOf({ store, capabilities: [capability] });
      for (const count of [1, 4]) {
        counter.taken();
        withoutTimers();
        const id = await start(chain(count, 'effect'));
        expect((await runs.read(id)).status).toBe('completed');
        expect(counter.taken()).toBe(2 + count * each + 1);
        vi.useRealTimers();
        const log = await store.events(id);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
        const told = log.filter(({ event_type }) => event_type === 'node_completed');
        expect(told.map(({ payload }) => payload.node_id)).toEqual(
          expect.arrayContaining(Array.from({ length: count }, (_, index) => `n${index}`)),
        );
      }
      expect(calls).toHaveLength(5);
    },
  );

  it('is one transaction for pure steps of any number, besides its beginning and its claim [stores.one-flush]', async () => {
    const { runs, start } = await hostOf({ store: new SqlRunStore(counter.database) });
    const texts = Array.from({ length: 20 }, (_, index) => ({
      node_id: `t${index}`,
      node_type: 'text_template',
      config: { template: 'あ' },
    }));
    const edges = texts.slice(1).map((_, index) => `t${index}->t${index + 1}`);
    counter.taken();
    withoutTimers();
    const id = await start(graphOf([...texts, terminal('end')], [...edges, 't19->end']));
    expect((await runs.read(id)).status).toBe('completed');
    expect(counter.taken()).toBe(3);
  });

  it('is one transaction for an answer, and few for the rest of the run [stores.one-flush]', async () => {
    const { runs, start } = await hostOf({ store: new SqlRunStore(counter.database) });
    counter.taken();
    withoutTimers();
    const id = await start(graphOf([hitl('ask'), terminal('end')], ['ask->end']));
    expect((await runs.read(id)).status).toBe('waiting_hitl');
    // Creation, claim, question, park.
    expect(counter.taken()).toBe(4);
    await runs.answer(id, 'はい');
    expect(counter.taken()).toBe(1);
    expect((await runs.drive(id)).status).toBe('completed');
    // Claim, answer, end.
    expect(counter.taken()).toBe(3);
  });

  it('is there while a call takes its time [stores.log-prompt]', async () => {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { capability } = counted(
      'slow',
      async () => {
        await ended;
        return { ok: true };
      },
      { idempotent: true },
    );
    const store = new SqlRunStore(counter.database);
    const { runs, start } = await hostOf({ store, capabilities: [capability] });
    const id = 'the-run';
    const started = start(chain(1, 'slow'), { runId: id });
    await vi.waitFor(
      async () => {
        const log = await store.events(id);
        expect(log.map(({ event_type }) => event_type)).toContain('node_started');
      },
      { timeout: 10_000 },
    );
    end();
    await started;
    expect((await runs.read(id)).status).toBe('completed');
  });
});
