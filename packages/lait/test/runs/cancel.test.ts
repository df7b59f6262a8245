import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/runs/memory-run-store.js';
import { asking, capabilityNode, conflict, counted, gate, graphOf, hostOf, terminal } from './graph-host.js';

describe('cancel', () => {
  it('ends a waiting run at once and marks its nodes', async () => {
    const { capability } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    expect((await runs.cancel(id)).status).toBe('cancelled');
    const { nodes } = await runs.view(id);
    expect(nodes.map(({ node_id, status }) => [node_id, status])).toEqual([
      ['a', 'succeeded'],
      ['h', 'cancelled'],
      ['t', 'skipped'],
    ]);
    await expect(runs.cancel(id)).rejects.toMatchObject(conflict);
  });

  const twoSteps = graphOf(
    [capabilityNode('a', 'slow'), capabilityNode('b', 'work'), terminal('t')],
    ['a->b', 'b->t'],
  );

  it('keeps what ended anyway for a decision, and adopts it without another call [runs.cancel-evidence]', async () => {
    const began = gate<void>();
    const slow = counted('slow', (_, { signal }) => {
      began.open();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ v: 1 })));
    });
    const work = counted('work');
    const { runs, start } = await hostOf({ capabilities: [slow.capability, work.capability] });
    const driving = start(twoSteps);
    await began.promise;
    const { run_id: id } = (await listOf(runs))[0]!;
    await Promise.all([runs.cancel(id), driving]);
    const { run, nodes } = await runs.view(id);
    expect(run.status).toBe('waiting_attention');
    expect(nodes.at(-1)).toMatchObject({
      node_id: 'a',
      status: 'needs_attention',
      attention_reason: 'cancel_after_external_completion',
      cancel_outcome: 'completed',
      output: { v: 1 },
    });
    expect(work.calls).toHaveLength(0);
    await runs.attention(id, 'adopt');
    expect((await runs.drive(id)).status).toBe('completed');
    expect(slow.calls).toHaveLength(1);
    expect(work.calls).toHaveLength(1);
  });

  it('keeps what is known of the call when the waiting run is cancelled, too [runs.cancel-evidence]', async () => {
    const began = gate<void>();
    const slow = counted('slow', (_, { signal }) => {
      began.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('off'))),
      );
    });
    const { runs, start } = await hostOf({ capabilities: [slow.capability, counted('work').capability] });
    const driving = start(twoSteps);
    await began.promise;
    const { run_id: id } = (await listOf(runs))[0]!;
    await Promise.all([runs.cancel(id), driving]);
    expect((await runs.cancel(id)).status).toBe('cancelled');
    expect((await runs.view(id)).nodes[0]).toMatchObject({
      status: 'cancelled',
      attention_reason: 'cancel_with_unknown_external_result',
      cancel_outcome: 'unknown',
    });
  });

  it('asks about a call whose outcome is unknown; adopting is refused, running again is a new activation', async () => {
    const began = gate<void>();
    let calls = 0;
    const slow = counted('slow', async (_, { signal }) => {
      calls += 1;
      if (calls > 1) return { v: calls };
      began.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('broken off'))),
      );
    });
    const work = counted('work');
    const { runs, start } = await hostOf({ capabilities: [slow.capability, work.capability] });
    const driving = start(twoSteps);
    await began.promise;
    const { run_id: id } = (await listOf(runs))[0]!;
    await runs.cancel(id);
    await driving;
    expect((await runs.read(id)).status).toBe('waiting_attention');
    const parked = (await runs.view(id)).nodes[0]!;
    expect(parked).toMatchObject({
      attention_reason: 'cancel_with_unknown_external_result',
      cancel_outcome: 'unknown',
    });
    await expect(runs.attention(id, 'adopt')).rejects.toMatchObject(conflict);
    await runs.attention(id, 'reexecute');
    expect((await runs.drive(id)).status).toBe('completed');
    const rows = (await runs.view(id)).nodes.filter(({ node_id }) => node_id === 'a');
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'succeeded']);
    expect(rows[0]!.activation_id).not.toBe(rows[1]!.activation_id);
    expect(slow.calls.map(({ activationId }) => activationId)).toEqual(
      rows.map(({ activation_id }) => activation_id),
    );
  });

  it('ends the run when the call confirms that it stopped, or leaves nothing behind', async () => {
    for (const more of [{}, { read_only: true }]) {
      const began = gate<void>();
      const slow = counted(
        'slow',
        (_, { signal }) =>
          new Promise((resolve, reject) => {
            began.open();
            const stop = () =>
              'read_only' in more ? reject(new Error('gone')) : resolve({ status: 'cancelled' });
            signal.addEventListener('abort', stop);
          }),
        more,
      );
      const { runs, start } = await hostOf({ capabilities: [slow.capability, counted('work').capability] });
      const driving = start(twoSteps);
      await began.promise;
      const { run_id: id } = (await listOf(runs))[0]!;
      expect((await runs.cancel(id)).status).toBe('cancelled');
      await driving;
      const { nodes } = await runs.view(id);
      expect(nodes.map(({ node_id, status }) => [node_id, status])).toEqual([
        ['a', 'cancelled'],
        ['b', 'skipped'],
        ['t', 'skipped'],
      ]);
    }
  });

  it('is noticed when it comes from another process', async () => {
    const store = new MemoryRunStore();
    const began = gate<void>();
    const slow = counted('slow', (_, { signal }) => {
      began.open();
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ status: 'cancelled' })),
      );
    });
    const here = await hostOf({ capabilities: [slow.capability, counted('work').capability], store });
    const there = await hostOf({ store });
    const driving = here.start(twoSteps);
    await began.promise;
    const { run_id: id } = (await store.list())[0]!;
    expect((await there.runs.cancel(id)).status).toBe('cancelling');
    await driving;
    expect((await there.runs.read(id)).status).toBe('cancelled');
  });
});

async function listOf(runs: Awaited<ReturnType<typeof hostOf>>['runs']) {
  return runs.list({ statuses: ['running'] });
}
