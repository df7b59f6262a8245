import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { StoredSecrets } from '../../../src/runs/stored-secrets.js';
import { RunFeeds } from '../../../src/server/events/run-feeds.js';
import { flavours, record, stopPostgres } from './stores.js';

afterAll(stopPostgres);

describe.each(flavours.filter(({ durable }) => durable))('claims of $name', ({ skip, place }) => {
  beforeEach((context) => {
    if (skip !== undefined) context.skip(skip);
  });

  it('are not held up by a run whose variable is not set any more [stores.claims-go-on]', async () => {
    const where = await place();
    const before = await where.open({ secrets: new StoredSecrets({ DEPLOY_TOKEN: 'tok-123456789' }) });
    const [stuck, fine] = [record({ inputs: { token: 'tok-123456789' }, priority: 1 }), record()];
    for (const run of [stuck, fine]) await before.create(run, []);
    await before.close();
    const store = await where.open({ secrets: new StoredSecrets({}) });
    const begin = () => ({ change: { status: 'running' as const }, events: [] });
    const claims = await store.claim({ worker: 'w', leaseMs: 60_000, max: 2, begin });
    expect(claims.map(({ record, problem }) => [record.run_id, record.status, problem?.code])).toEqual([
      [stuck.run_id, 'queued', 'variable_unset'],
      [fine.run_id, 'running', undefined],
    ]);
    expect(claims[0]!.record.inputs).toEqual({ token: '${DEPLOY_TOKEN}' });
    // It stays out of the way until the claim has run out.
    expect(await store.claim({ worker: 'w', leaseMs: 60_000, begin })).toEqual([]);
    await store.close();
    await where.remove();
  });

  it('of such a run change what needs no values, and leave the values as they are stored', async () => {
    const where = await place();
    const known = { secrets: new StoredSecrets({ DEPLOY_TOKEN: 'tok-123456789' }) };
    const before = await where.open(known);
    const inputs = { token: 'use tok-123456789' };
    const run = record({ inputs, answers: { q: ['tok-123456789'] } });
    await before.create(run, []);
    await before.close();
    const store = await where.open({ secrets: new StoredSecrets({}) });
    await expect(store.read(run.run_id)).rejects.toMatchObject({ code: 'variable_unset' });
    const shown = (await store.read(run.run_id, 'show'))!;
    expect(shown.inputs).toEqual({ token: 'use ${DEPLOY_TOKEN}' });
    const change = { status: 'cancelled' as const, questions: [] };
    const changed = await store.update(run.run_id, {
      revision: shown.revision,
      change,
      events: [],
      known: shown,
    });
    expect(changed).toMatchObject({ status: 'cancelled', inputs: shown.inputs });
    await store.close();
    const after = await where.open(known);
    expect(await after.read(run.run_id)).toMatchObject({
      status: 'cancelled',
      revision: shown.revision + 1,
      inputs,
      answers: { q: ['tok-123456789'] },
    });
    await after.close();
    await where.remove();
  });

  it('who follows such a run sees it end', async () => {
    const where = await place();
    const before = await where.open({ secrets: new StoredSecrets({ DEPLOY_TOKEN: 'tok-123456789' }) });
    const run = record({ inputs: { token: 'tok-123456789' } });
    await before.create(run, [{ event_type: 'run_created', payload: { status: 'queued' } }]);
    await before.close();
    const store = await where.open({ secrets: new StoredSecrets({}) });
    const seen: string[] = [];
    const { signal } = new AbortController();
    for await (const batch of new RunFeeds(store, 20).follow(run.run_id, { signal })) {
      seen.push(...batch.map(({ event_type }) => event_type));
      if (seen.length > 1) continue;
      const ended = { event_type: 'run_status_changed', payload: { from: 'queued', status: 'cancelled' } };
      await store.append(run.run_id, [ended]);
    }
    expect(seen).toEqual(['run_created', 'run_status_changed']);
    await store.close();
    await where.remove();
  });
});
