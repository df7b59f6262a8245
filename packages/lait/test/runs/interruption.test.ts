import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/runs/memory-run-store.js';
import { asking, capabilityNode, counted, gate, graphOf, hitl, hostOf, terminal } from './graph-host.js';

describe('interruption', () => {
  it('parks where a capability was switched off and goes on when it is back [runs.registry-changes]', async () => {
    const first = counted('work');
    const second = counted('second');
    const registry = [first.capability, second.capability];
    const { runs, start } = await hostOf({ capabilities: registry });
    const graph = graphOf(
      [capabilityNode('a', 'work'), hitl('h'), capabilityNode('b', 'second'), terminal('t')],
      ['a->h', 'h->b', 'b->t'],
    );
    const id = await start(graph);
    first.capability.enabled = false;
    second.capability.enabled = false;
    await runs.answer(id, 'go');
    const parked = await runs.drive(id);
    expect(parked).toMatchObject({
      status: 'interrupted',
      error_summary: expect.stringContaining("'second' is switched off"),
    });
    await runs.resume(id);
    expect((await runs.drive(id)).status).toBe('interrupted');
    second.capability.enabled = true;
    await runs.resume(id);
    // `a` has ended: that it is switched off now does not matter any more.
    expect((await runs.drive(id)).status).toBe('completed');
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
    const rows = (await runs.view(id)).nodes.filter(({ node_id }) => node_id === 'b');
    expect(rows).toHaveLength(1);
    expect(rows[0]!.activation_id).toBe(second.calls[0]!.activationId);
  });

  it('asks for a decision after a crash during a call that must not be repeated blindly [runs.crash-attention]', async () => {
    const store = new MemoryRunStore();
    const began = gate<void>();
    const dying = counted('work', () => {
      began.open();
      return new Promise(() => {});
    });
    const before = await hostOf({ capabilities: [dying.capability], store });
    void before.start(asking);
    await began.promise;
    const alive = counted('work');
    const { runs } = await hostOf({ capabilities: [alive.capability], store });
    const [lost] = await runs.recover();
    expect(lost).toMatchObject({ status: 'interrupted' });
    await runs.resume(lost!.run_id);
    expect((await runs.drive(lost!.run_id)).status).toBe('waiting_attention');
    expect(alive.calls).toHaveLength(0);
    await runs.attention(lost!.run_id, 'reexecute');
    expect((await runs.drive(lost!.run_id)).status).toBe('waiting_hitl');
    const rows = (await runs.view(lost!.run_id)).nodes.filter(({ node_id }) => node_id === 'a');
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'succeeded']);
    expect(rows[1]!.activation_id).toBe(alive.calls[0]!.activationId);
  });

  it('repeats an idempotent call after a crash with the same activation', async () => {
    const store = new MemoryRunStore();
    const began = gate<void>();
    const dying = counted(
      'work',
      () => {
        began.open();
        return new Promise(() => {});
      },
      { idempotent: true },
    );
    const before = await hostOf({ capabilities: [dying.capability], store });
    void before.start(asking);
    await began.promise;
    const alive = counted('work', undefined, { idempotent: true });
    const { runs } = await hostOf({ capabilities: [alive.capability], store });
    const [lost] = await runs.recover();
    await runs.resume(lost!.run_id);
    expect((await runs.drive(lost!.run_id)).status).toBe('waiting_hitl');
    expect(alive.calls.map(({ activationId }) => activationId)).toEqual(
      dying.calls.map(({ activationId }) => activationId),
    );
  });

  it('leaves runs of living processes alone', async () => {
    const store = new MemoryRunStore();
    const began = gate<void>();
    const slow = counted('work', () => {
      began.open();
      return new Promise(() => {});
    });
    const one = await hostOf({ capabilities: [slow.capability], store });
    void one.start(asking);
    await began.promise;
    expect(await (await hostOf({ store })).runs.recover(() => true)).toEqual([]);
    expect(await one.runs.recover()).toEqual([]);
  });

  it('keeps what a call in flight gives when the process shuts down', async () => {
    const store = new MemoryRunStore();
    const began = gate<void>();
    const end = gate<void>();
    const work = counted('work', async () => {
      began.open();
      await end.promise;
      return { v: 1 };
    });
    const here = await hostOf({ capabilities: [work.capability], store });
    const driving = here.start(asking);
    await began.promise;
    const down = here.runs.shutdown();
    end.open();
    await Promise.all([down, driving]);
    const [record] = await store.list();
    expect(record!.status).toBe('interrupted');
    await here.runs.resume(record!.run_id);
    expect((await here.runs.drive(record!.run_id)).status).toBe('waiting_hitl');
    expect(work.calls).toHaveLength(1);
  });
});

describe('agents', () => {
  const graph = graphOf(
    [
      {
        node_id: 'a',
        node_type: 'agent',
        config: {
          agent_id: 'writer',
          inputs: { task: 'x' },
          output_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      },
      hitl('h'),
      terminal('t'),
    ],
    ['a->h', 'h->t'],
  );

  it('records the settings it ran with and never asks a finished agent again [runs.agent-fingerprint]', async () => {
    const store = new MemoryRunStore();
    let asked = 0;
    const answer = async (prompt: string) => {
      asked += 1;
      expect(prompt).toContain('"task": "x"');
      return { text: 'Here it is: {"text":"hi"} — done' };
    };
    const first = await hostOf({ agents: { writer: { answer, description: 'writes' } }, store });
    const id = await first.start(graph);
    await first.runs.approve(id);
    expect((await first.runs.drive(id)).status).toBe('waiting_hitl');
    const { events } = await first.runs.view(id);
    const fingerprint = events.find(({ event_type }) => event_type === 'agent_config_fingerprint')!;
    expect(fingerprint.payload).toMatchObject({
      node_id: 'a',
      agent_id: 'writer',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    // The agent is gone by the time the run goes on.
    const later = await hostOf({ store });
    await later.runs.answer(id, 'go');
    expect((await later.runs.drive(id)).status).toBe('completed');
    expect(asked).toBe(1);
  });

  it('interrupts a run whose agent does not exist', async () => {
    const { runs, start } = await hostOf({});
    const id = await start(graph);
    await runs.approve(id);
    expect(await runs.drive(id)).toMatchObject({
      status: 'interrupted',
      error_summary: expect.stringContaining("no agent 'writer'"),
    });
  });
});
