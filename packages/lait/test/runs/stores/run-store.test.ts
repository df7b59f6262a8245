import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/engine/journal.js';
import type { NewRunEvent } from '../../../src/runs/run-record.js';
import type { RunStore } from '../../../src/runs/run-store.js';
import type { JsonValue, Value } from '../../../src/values/value.js';
import { flavours, record, type StorePlace, stopPostgres } from './stores.js';

const event = (event_type: string, key?: string): NewRunEvent => ({
  event_type,
  payload: { text: 'はい 🙂' },
  ...(key !== undefined && { key }),
});
const completed = (address: string, value: Value): JournalEntry => ({ type: 'completed', address, value });
const question = (address: string) => ({
  address,
  question: { type: 'text' as const, text: `${address} 続ける?` },
  hitl_run_id: `whitl_${address}`,
});

afterAll(stopPostgres);

for (const { name, skip } of flavours) if (skip !== undefined) describe.skip(`${name}: ${skip}`, () => {});

describe.each(flavours.filter(({ skip }) => skip === undefined))('a run store: $name', (flavour) => {
  let at: StorePlace;
  let opened: RunStore[];
  let store: RunStore;
  const open: StorePlace['open'] = async (options) => {
    const one = await at.open(options);
    opened.push(one);
    return one;
  };

  beforeEach(async () => {
    at = await flavour.place();
    opened = [];
    store = await open();
  });
  afterEach(async () => {
    for (const one of opened) await one.close();
    await at.remove();
  });

  describe('runs', () => {
    it('keeps every field of a run, and leaves out what is not there [stores.keep-everything]', async () => {
      const full = record({
        value: { a: [1, null, 'x'] },
        answers: { 'nodes.a?': true },
        result: 'done 🙂\0\ud800',
        result_summary: 'zero\0byte',
        error_summary: 'broken',
        source_run_id: 'wrun_other',
        worker_instance_id: 'worker',
        priority: 3,
        status: 'waiting_hitl',
        questions: [{ ...question('nodes.a?'), asked_at: '2026-01-01T00:00:00.000Z' }],
        started_at: '2026-01-01T00:00:00.000Z',
        finished_at: '2026-01-02T00:00:00.000Z',
      });
      await store.create(full, []);
      expect(await (await open()).read(full.run_id)).toEqual(full);
      const least = record();
      await store.create(least, []);
      expect(await store.read(least.run_id)).toEqual({ ...least, queued_at: expect.any(String) });
      expect(await store.read('wrun_none')).toBeUndefined();
      expect(await store.read('../../etc/passwd')).toBeUndefined();
    });

    it('refuses a second run of the same id and changes nothing', async () => {
      const one = record();
      await store.create(one, [event('run_created')]);
      await expect(store.create({ ...one, inputs: 'other' }, [event('x')])).rejects.toMatchObject({
        code: 'run_exists',
      });
      expect((await store.read(one.run_id))?.inputs).toEqual(one.inputs);
      expect(await store.events(one.run_id)).toHaveLength(1);
    });

    it('begins a repeated run with the outcomes that it takes over', async () => {
      const { run_id } = record();
      const entries = [completed('a', 1), completed('b', undefined)];
      await store.create(record({ run_id }), [], entries);
      expect([...(await (await open()).journal(run_id)).entries]).toEqual(entries);
    });

    it('gives copies: what is done to them changes nothing', async () => {
      const one = record({ inputs: { list: [1] } });
      await store.create(one, []);
      const read = (await store.read(one.run_id))!;
      (read.inputs as { list: number[] }).list.push(2);
      const [listed] = await store.list();
      (listed!.inputs as { list: number[] }).list.push(3);
      expect((await store.read(one.run_id))?.inputs).toEqual({ list: [1] });
    });

    it('lists by every condition, in pages that stay where they are [stores.pages]', async () => {
      const runs = Array.from({ length: 12 }, (_, index) =>
        record({
          definition: { ...record().definition, id: index % 2 === 0 ? 'even' : 'odd 🙂\0' },
          status: index < 4 ? 'completed' : 'queued',
          ...(index < 4 && { finished_at: `2026-02-0${index + 1}T00:00:00.000Z` }),
        }),
      );
      for (const one of runs) await store.create(one, []);
      const ids = (list: { run_id: string }[]) => list.map(({ run_id }) => run_id);
      const all = ids(runs);
      expect(ids(await store.list())).toEqual([...all].reverse());
      expect(ids(await store.list({ order: 'oldest', limit: 3, offset: 2 }))).toEqual(all.slice(2, 5));
      const odd = all.filter((_, index) => index % 2 === 1);
      expect(ids(await store.list({ workflow: 'odd 🙂\0', order: 'oldest' }))).toEqual(odd);
      expect(await store.count({ workflow: 'even', statuses: ['queued'] })).toBe(4);
      expect(await store.count({ forms: ['steps', 'dynamic'] })).toBe(0);
      expect(await store.count({ createdFrom: runs[10]!.created_at })).toBe(2);
      expect(await store.count({ createdBefore: runs[10]!.created_at })).toBe(10);
      expect(await store.count({ finishedBefore: '2026-02-03T00:00:00.000Z' })).toBe(2);
      const seen: string[] = [];
      let after = undefined as { created_at: string; run_id: string } | undefined;
      for (;;) {
        const page = await store.list({ limit: 5, ...(after !== undefined && { after }) });
        if (page.length === 0) break;
        seen.push(...ids(page));
        after = page.at(-1)!;
        // Newer runs do not move the pages behind.
        await store.create(record(), []);
      }
      expect(seen).toEqual([...all].reverse());
    });

    it('removes a run with everything that belongs to it, and may begin it anew', async () => {
      const one = record();
      await store.create(one, [event('run_created')]);
      await (await store.journal(one.run_id)).append(completed('a', 1));
      await store.remove(one.run_id);
      await store.remove(one.run_id);
      expect(await store.read(one.run_id)).toBeUndefined();
      expect(await store.events(one.run_id)).toEqual([]);
      await expect(store.journal(one.run_id)).rejects.toMatchObject({ code: 'run_not_found' });
      await store.create(one, [event('again')]);
      expect([...(await store.journal(one.run_id)).entries]).toEqual([]);
      expect(await store.events(one.run_id)).toMatchObject([{ seq: 1, event_type: 'again' }]);
    });
  });

  describe('changes', () => {
    it('lets exactly one of several changes of the same revision succeed [stores.one-change-wins]', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const others = [store, await open(), await open()];
      const results = await Promise.all(
        Array.from({ length: 9 }, (_, index) =>
          others[index % 3]!.update(run_id, {
            revision: 1,
            change: { status: 'running', worker_instance_id: `w${index}` },
            events: [event(`change ${index}`)],
          }),
        ),
      );
      const winners = results.filter((result) => result !== undefined);
      expect(winners).toHaveLength(1);
      expect(winners[0]).toMatchObject({ revision: 2, status: 'running' });
      expect(await store.read(run_id)).toEqual(winners[0]);
      expect(await store.events(run_id)).toHaveLength(1);
      expect(await store.update('wrun_none', { revision: 1, change: {}, events: [] })).toBeUndefined();
    });

    it('takes away what a change says is not there any more', async () => {
      const one = record({ error_summary: 'bad', result: 1 });
      await store.create(one, []);
      await store.update(one.run_id, {
        revision: 1,
        change: { error_summary: undefined, result: undefined },
        events: [],
      });
      const read = await (await open()).read(one.run_id);
      expect(read?.error_summary).toBeUndefined();
      expect(read?.result).toBeUndefined();
    });

    it('shows open questions of all runs, the oldest first [stores.one-inbox]', async () => {
      const [first, second] = [record({ status: 'running' }), record({ status: 'running' })];
      for (const one of [first, second]) await store.create(one, []);
      const asked = [question('a?'), question('b?')];
      await store.update(second.run_id, {
        revision: 1,
        change: { status: 'waiting_hitl', questions: asked },
        events: [],
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await store.update(first.run_id, {
        revision: 1,
        change: { status: 'waiting_hitl', questions: [question('c?')] },
        events: [],
      });
      const inbox = await (await open()).questions();
      expect(inbox.map(({ run_id, address }) => [run_id, address])).toEqual([
        [second.run_id, 'a?'],
        [second.run_id, 'b?'],
        [first.run_id, 'c?'],
      ]);
      expect(inbox[0]).toMatchObject({ workflow: 'flow', form: 'graph', status: 'waiting_hitl' });
      expect(await store.questions({ hitlRunId: 'whitl_c?' })).toHaveLength(1);
      expect(await store.questions({ runId: second.run_id, limit: 1, offset: 1 })).toMatchObject([
        { address: 'b?' },
      ]);
      await store.update(second.run_id, {
        revision: 2,
        change: { status: 'queued', questions: asked.slice(1) },
        events: [],
      });
      const left = (await store.read(second.run_id))!.questions;
      expect(left.map(({ address, asked_at }) => [address, asked_at])).toEqual([['b?', inbox[1]!.asked_at]]);
    });
  });

  describe('the log', () => {
    it('numbers entries without gaps and takes each key once', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), [event('a', 'k'), event('b')]);
      const other = await open();
      await other.append(run_id, [event('c', 'k'), event('d', 'l'), event('e', 'l'), event('f')]);
      await store.append(run_id, [event('g', 'l'), event('h', 'zero\0 \ud800')]);
      await other.append('wrun_none', [event('x')]);
      const log = await other.events(run_id);
      expect(log.map(({ seq, event_type }) => `${seq}${event_type}`)).toEqual(['1a', '2b', '3d', '4f', '5h']);
      expect(log[4]).toMatchObject({ run_id, key: 'zero\0 \ud800', payload: { text: 'はい 🙂' } });
      expect(await store.events(run_id, { after: 1, limit: 2 })).toEqual(log.slice(1, 3));
      expect(await store.events(run_id, { after: 9 })).toEqual([]);
    });

    it('keeps numbers and winners right however several processes interleave [stores.gap-free]', async () => {
      const others = [store, await open(), await open()];
      const step = fc.record({
        by: fc.nat({ max: 2 }),
        what: fc.oneof(
          fc.record({ append: fc.array(fc.option(fc.nat({ max: 5 })), { minLength: 1, maxLength: 3 }) }),
          fc.constant({ update: true }),
        ),
        wait: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const { run_id } = record();
          await store.create(record({ run_id }), [event('run_created')]);
          let unkeyed = 1;
          let wins = 0;
          const keys = new Set<number>();
          const running: Promise<unknown>[] = [];
          for (const { by, what, wait } of steps) {
            const one = others[by]!;
            if ('append' in what) {
              for (const key of what.append) {
                if (key === null) unkeyed += 1;
                else keys.add(key);
              }
              running.push(
                one.append(
                  run_id,
                  what.append.map((key) => event('e', key === null ? undefined : `key ${key}`)),
                ),
              );
            } else {
              running.push(
                one.read(run_id).then(async (read) => {
                  const changed = await one.update(run_id, {
                    revision: read!.revision,
                    change: {},
                    events: [event('changed')],
                  });
                  if (changed !== undefined) wins += 1;
                }),
              );
            }
            if (wait) await Promise.all(running);
          }
          await Promise.all(running);
          const log = await others[1]!.events(run_id);
          expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
          expect(log).toHaveLength(unkeyed + keys.size + wins);
          expect((await store.read(run_id))!.revision).toBe(1 + wins);
        }),
        { numRuns: 12 },
      );
    });
  });

  describe('the journal', () => {
    it('gives back every value exactly, in the order of appending [stores.values-exact]', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const journal = await store.journal(run_id);
      const values: Value[] = [
        undefined,
        null,
        { a: undefined as unknown as JsonValue, b: [undefined as unknown as JsonValue, 1] },
        Number.NaN,
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0.1, 1e300, 2 ** 53],
        '日本語 🙂 \0 \ud800 "\\',
        JSON.parse('{"__proto__": 1, "constructor": {"$lait.value": "undefined"}}') as JsonValue,
        { '$lait.value': 'NaN', other: { '$lait.value': 'object', object: 1 } },
      ];
      for (const [index, value] of values.entries()) await journal.append(completed(`step ${index}`, value));
      const again = await (await open()).journal(run_id);
      for (const [index, value] of values.entries())
        expect(
          isDeepStrictEqual(again.find('completed', `step ${index}`)?.value, value),
          `value ${index}`,
        ).toBe(true);
      expect([...again.entries].map(({ address }) => address)).toEqual(
        values.map((_, index) => `step ${index}`),
      );
      expect(again.find('failed', 'step 0')).toBeUndefined();
    });

    it('stores any value that the engine can hold', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const journal = await store.journal(run_id);
      let count = 0;
      const stored: [string, JsonValue][] = [];
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
          count += 1;
          stored.push([`any ${count}`, value as JsonValue]);
          await journal.append(completed(`any ${count}`, value as JsonValue));
        }),
        { numRuns: 40 },
      );
      const again = await (await open()).journal(run_id);
      for (const [address, value] of stored)
        expect(again.find('completed', address)?.value).toStrictEqual(value);
    });

    it('keeps concurrent outcomes, each once, and thousands of them', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const journal = await store.journal(run_id);
      await Promise.all(
        Array.from({ length: 3000 }, (_, index) =>
          journal.append(completed(`step ${index}`, { index, text: 'x'.repeat(100) })),
        ),
      );
      await journal.append(completed('step 7', 'second'));
      const again = await (await open()).journal(run_id);
      expect([...again.entries]).toHaveLength(3000);
      expect(again.find('completed', 'step 7')?.value).toMatchObject({ index: 7 });
      expect([...again.entries].map(({ address }) => address)).toEqual(
        Array.from({ length: 3000 }, (_, index) => `step ${index}`),
      );
    });
  });

  describe('claims', () => {
    const request = { worker: 'w1', leaseMs: 60_000 };
    const workflow = (id: string, changes = {}) =>
      record({ definition: { ...record().definition, id }, ...changes });

    it('gives a run to one worker, however many ask at once [stores.one-claim]', async () => {
      const runs = Array.from({ length: 10 }, () => record());
      for (const one of runs) await store.create(one, []);
      const others = flavour.name === 'files' ? [store] : [store, await open(), await open()];
      const claims = await Promise.all(
        Array.from({ length: 15 }, (_, index) =>
          others[index % others.length]!.claim({ ...request, worker: `w${index}` }),
        ),
      );
      const ids = claims.flat().map(({ record: { run_id } }) => run_id);
      expect([...ids].sort()).toEqual(runs.map(({ run_id }) => run_id).sort());
      expect(await store.claim(request)).toEqual([]);
    });

    it('is fair between workflows and prefers priorities [stores.fair-claims]', async () => {
      for (let index = 0; index < 6; index += 1) await store.create(workflow('busy'), []);
      for (let index = 0; index < 2; index += 1) await store.create(workflow('calm'), []);
      await store.create(workflow('late', { priority: 5 }), []);
      const order: string[] = [];
      for (;;) {
        const [claim] = await store.claim(request);
        if (claim === undefined) break;
        order.push(claim.record.definition.id);
        // One at a time: fairness does not come from what is under way.
        const { run_id, revision } = claim.record;
        await store.update(run_id, { revision, change: { status: 'running' }, events: [] });
        await store.update(run_id, { revision: revision + 1, change: { status: 'completed' }, events: [] });
        await store.release(claim.lease);
      }
      expect(order).toEqual(['late', 'busy', 'calm', 'busy', 'calm', 'busy', 'busy', 'busy', 'busy']);
    });

    it('keeps limits of workflows and of all together', async () => {
      for (let index = 0; index < 5; index += 1) {
        await store.create(workflow('a'), []);
        await store.create(workflow('b'), []);
      }
      const limits = { total: 4, perWorkflow: 3, workflows: { b: 1 } };
      const claims = await store.claim({ ...request, max: 10, limits });
      const ids = claims.map(({ record: { definition } }) => definition.id).sort();
      expect(ids).toEqual(['a', 'a', 'a', 'b']);
      expect(await store.claim({ ...request, limits })).toEqual([]);
      const freed = claims.find(({ record: { definition } }) => definition.id === 'b')!;
      await store.update(freed.lease.run_id, { revision: 1, change: { status: 'cancelled' }, events: [] });
      await store.release(freed.lease);
      expect(await store.claim({ ...request, limits })).toMatchObject([
        { record: { definition: { id: 'b' } } },
      ]);
    });

    it('takes over what a lost worker left, and lets that one record nothing more [stores.fenced]', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const [lost] = await store.claim({ worker: 'lost', leaseMs: 60_000 });
      await store.update(run_id, {
        revision: 1,
        change: { status: 'running', worker_instance_id: 'lost' },
        events: [],
      });
      const journal = await store.journal(run_id, lost!.lease);
      await journal.append(completed('a', 1));
      expect(await store.claim(request)).toEqual([]);
      // The last sign of life of a worker that is then lost.
      await store.renew(lost!.lease, 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const [taken] = await store.claim(request);
      expect(taken).toMatchObject({
        record: { run_id, status: 'running' },
        lease: { worker: 'w1', attempt: 2 },
      });
      await expect(journal.append(completed('b', 2))).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await store.renew(lost!.lease, 1000)).toBe(false);
      await store.release(lost!.lease);
      expect(await store.claim({ ...request, worker: 'w2' })).toEqual([]);
      const again = await store.journal(run_id, taken!.lease);
      expect([...again.entries]).toEqual([completed('a', 1)]);
      await again.append(completed('b', 3));
    });

    it('renews, gives back, and claims a certain run', async () => {
      const [one, other] = [record(), record()];
      for (const run of [one, other]) await store.create(run, []);
      const [claim] = await store.claim({ ...request, leaseMs: 40, runId: other.run_id });
      expect(claim!.record.run_id).toBe(other.run_id);
      expect(await store.renew(claim!.lease, 60_000)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await store.claim({ ...request, runId: other.run_id })).toEqual([]);
      await store.release(claim!.lease);
      expect(await store.renew(claim!.lease, 1000)).toBe(false);
      expect(await store.claim({ ...request, runId: other.run_id })).toHaveLength(1);
      await store.update(one.run_id, { revision: 1, change: { status: 'cancelled' }, events: [] });
      expect(await store.claim({ ...request, runId: one.run_id })).toEqual([]);
    });

    it('frees a run that becomes queued again', async () => {
      const { run_id } = record();
      await store.create(record({ run_id }), []);
      const [first] = await store.claim(request);
      await store.update(run_id, { revision: 1, change: { status: 'running' }, events: [] });
      await store.update(run_id, {
        revision: 2,
        change: { status: 'waiting_hitl', questions: [question('a?')] },
        events: [],
      });
      await store.update(run_id, { revision: 3, change: { status: 'queued', questions: [] }, events: [] });
      const [second] = await store.claim(request);
      expect(second?.lease.attempt).toBe(first!.lease.attempt + 1);
      await store.release(first!.lease);
      expect(await store.claim(request)).toEqual([]);
    });
  });

  it('holds a thousand runs', async () => {
    const runs = Array.from({ length: 1000 }, () => record());
    for (let index = 0; index < runs.length; index += 50)
      await Promise.all(
        runs.slice(index, index + 50).map((one) => store.create(one, [event('run_created')])),
      );
    expect(await store.count({ statuses: ['queued'] })).toBe(1000);
    expect(await store.list({ limit: 1000 })).toHaveLength(1000);
    const claims = await store.claim({ worker: 'w', leaseMs: 60_000, max: 20 });
    expect(new Set(claims.map(({ lease }) => lease.run_id)).size).toBe(20);
  }, 60_000);

  it.runIf(flavour.durable)(
    'keeps secrets apart from what is stored and shown [stores.secrets-apart]',
    async () => {
      const secrets = {
        store: (value: JsonValue) => JSON.parse(JSON.stringify(value).replaceAll('s3cr3t-value', '<REF>')),
        restore: (value: JsonValue) => JSON.parse(JSON.stringify(value).replaceAll('<REF>', 'rotated-value')),
        show: (value: JsonValue) => JSON.parse(JSON.stringify(value).replaceAll('<REF>', '${KEY}')),
      };
      const one = record({
        inputs: { key: 's3cr3t-value' },
        status: 'waiting_hitl',
        questions: [{ address: 'a?', question: { type: 'text', text: 'use s3cr3t-value?' } }],
      });
      const keeping = await open({ secrets });
      await keeping.create(one, []);
      await (await keeping.journal(one.run_id)).append(completed('a', 'Bearer s3cr3t-value'));
      await keeping.close();
      const again = await open({ secrets });
      expect((await again.read(one.run_id))?.inputs).toEqual({ key: 'rotated-value' });
      expect((await again.journal(one.run_id)).find('completed', 'a')?.value).toBe('Bearer rotated-value');
      expect((await again.list())[0]?.inputs).toEqual({ key: '${KEY}' });
      expect((await again.questions())[0]?.question.text).toBe('use ${KEY}?');
      expect(JSON.stringify(await store.list())).not.toContain('s3cr3t-value');
    },
  );
});
