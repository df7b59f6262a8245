import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRunEvent } from '../../../src/runs/run-record.js';
import type { RunStore } from '../../../src/runs/run-store.js';
import { flavours, record, type StorePlace, stopPostgres } from './stores.js';

const event = (event_type: string, key?: string): NewRunEvent => ({
  event_type,
  payload: { text: 'はい 🙂' },
  ...(key !== undefined && { key }),
});

afterAll(stopPostgres);

describe.each(flavours.filter(({ skip }) => skip === undefined))('a run store: $name', ({ place }) => {
  let at: StorePlace;
  let opened: RunStore[];
  const open = async () => {
    const store = await at.open();
    opened.push(store);
    return store;
  };
  let store: RunStore;

  beforeEach(async () => {
    at = await place();
    opened = [];
    store = await open();
  });
  afterEach(async () => {
    for (const one of opened) await one.close();
    await at.remove();
  });

  it('keeps every field of a run, and leaves out what is not there', async () => {
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
      questions: [
        {
          address: 'nodes.a?',
          question: { type: 'text', text: '続ける?' },
          hitl_run_id: 'whitl_1',
          asked_at: '2026',
        },
      ],
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-02T00:00:00.000Z',
    });
    await store.create(full, []);
    expect(await (await open()).read(full.run_id)).toEqual(full);
    const least = record();
    await store.create(least, []);
    expect(await store.read(least.run_id)).toEqual({ ...least, queued_at: expect.any(String) });
    expect(await store.read('wrun_none')).toBeUndefined();
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
});
