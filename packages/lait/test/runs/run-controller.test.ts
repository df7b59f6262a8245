import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLait } from '../../src/create-lait.js';
import { MemoryRunStore } from '../../src/runs/memory-run-store.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { JsonObject } from '../../src/values/value.js';
import { capabilityNode, counted, graphOf, hitl, hostOf, terminal } from './graph-host.js';

const conflict = { code: 'run_conflict' };
const asking = graphOf([capabilityNode('a', 'work'), hitl('h'), terminal('t')], ['a->h', 'h->t']);

/** A promise that is settled from outside. */
function gate<T>() {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

describe('questions', () => {
  it('lets exactly one of two concurrent answers win and calls nothing twice [runs.one-answer-wins]', async () => {
    const { capability, calls } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    const results = await Promise.allSettled([runs.answer(id, 'first'), runs.answer(id, 'second')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: conflict });
    const [one, other] = await Promise.all([runs.drive(id), runs.drive(id)]);
    expect([one.status, other.status]).toContain('completed');
    expect(calls).toHaveLength(1);
  });

  it('refuses answers that come too late', async () => {
    const { capability } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    await runs.answer(id, 'yes');
    await expect(runs.answer(id, 'again')).rejects.toMatchObject(conflict);
    await runs.drive(id);
    await expect(runs.answer(id, 'again')).rejects.toMatchObject(conflict);
    const cancelled = await start(asking);
    await runs.cancel(cancelled);
    await expect(runs.answer(cancelled, 'late')).rejects.toMatchObject(conflict);
  });

  it('names each question by an address and by an id of its own', async () => {
    const { capability } = counted('work');
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(asking);
    const [question] = (await runs.read(id)).questions;
    expect(question).toMatchObject({ node_id: 'h', question: { type: 'text', text: 'go?' } });
    await expect(runs.answer(id, 'x', 'nodes.other?')).rejects.toMatchObject(conflict);
    await runs.answer(id, 'x', question!.hitl_run_id);
    expect((await runs.drive(id)).status).toBe('completed');
  });

  it.each([
    [{ question_type: 'select', choices: ['a', 'b'] }, 'c', 'b', 'b'],
    [{ question_type: 'boolean' }, 'maybe', true, 'true'],
    [{ question_type: 'text' }, undefined, 7, '7'],
    [{ question_type: 'text' }, undefined, null, ''],
    [{ question_type: 'text' }, undefined, { a: [1] }, '{"a":[1]}'],
    [{ question_type: 'text' }, undefined, 'はい🎉', 'はい🎉'],
  ])('checks and normalises answers to %j', async (type, wrong, right, answer) => {
    const { runs, start } = await hostOf({});
    const id = await start(
      graphOf([hitl('h', { question: '?', ...type } as JsonObject), terminal('t')], ['h->t']),
    );
    if (wrong !== undefined)
      await expect(runs.answer(id, wrong)).rejects.toMatchObject({ code: 'answer_invalid' });
    await runs.answer(id, right);
    const { result } = await runs.drive(id);
    expect(result).toEqual({ answer });
  });
});

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

describe('attention', () => {
  const graph = graphOf(
    [capabilityNode('a', 'att'), terminal('t'), terminal('saved')],
    ['a->t', 'a->saved!'],
  );
  const troubled = (output?: JsonObject) =>
    counted('att', () => ({ status: 'needs_attention', ...(output && { output }) }));

  it('adopts a stated output when nothing is known of the call', async () => {
    const { capability, calls } = troubled();
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    await expect(runs.attention(id, 'adopt')).rejects.toMatchObject(conflict);
    await runs.attention(id, 'adopt', { output: { v: 9 } });
    expect(await runs.drive(id)).toMatchObject({ status: 'completed', result: { v: 9 } });
    expect(calls).toHaveLength(1);
  });

  it('interrupts, resumes to the same question, and fails into the error edge', async () => {
    const { capability, calls } = troubled({ v: 1 });
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    await runs.attention(id, 'interrupt');
    expect((await runs.read(id)).status).toBe('interrupted');
    await runs.resume(id);
    expect((await runs.drive(id)).status).toBe('waiting_attention');
    await runs.attention(id, 'fail', { reason: 'not good enough' });
    expect((await runs.drive(id)).status).toBe('completed');
    const { nodes } = await runs.view(id);
    expect(nodes.find(({ node_id }) => node_id === 'a')).toMatchObject({ status: 'failed' });
    expect(nodes.find(({ node_id }) => node_id === 'saved')).toMatchObject({ status: 'succeeded' });
    expect(calls).toHaveLength(1);
  });

  it('lets exactly one of two concurrent decisions win', async () => {
    const { capability } = troubled({ v: 1 });
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const id = await start(graph);
    const results = await Promise.allSettled([runs.attention(id, 'adopt'), runs.attention(id, 'fail')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

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

describe('the log', () => {
  it('numbers events without gaps and says everything once, however often a run goes on [runs.gap-free-log]', async () => {
    const { capability } = counted('work', () => ({ ok: true }), { effects: ['done'] });
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const loop = graphOf(
      [
        {
          node_id: 'loop',
          node_type: 'loop',
          config: {
            state_schema: { type: 'object', properties: { ans: { type: 'string' } } },
            input_mapping: {},
            continuation_condition: { from_path: 'loop.state.ans', operator: 'equals', value: 'more' },
            max_iterations: 5,
            entry_node_id: 'work',
          },
        },
        { ...capabilityNode('work', 'work'), parent_loop_node_id: 'loop' },
        { ...hitl('h'), parent_loop_node_id: 'loop' },
        {
          node_id: 'res',
          node_type: 'loop_result',
          config: { output_mapping: { ans: { $ref: 'nodes.h.output.answer' } } },
          parent_loop_node_id: 'loop',
        },
        terminal('t'),
      ],
      ['loop->t', 'work->h', 'h->res'],
    );
    const id = await start(loop);
    for (const answer of ['more', 'more', 'stop']) {
      await runs.answer(id, answer);
      await runs.drive(id);
    }
    const { run, events, nodes } = await runs.view(id);
    expect(run.status).toBe('completed');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const keys = events.flatMap(({ key }) => (key === undefined ? [] : [key]));
    expect(new Set(keys).size).toBe(keys.length);
    const counts = (type: string) => events.filter(({ event_type }) => event_type === type).length;
    expect(counts('run_started')).toBe(4);
    expect(counts('loop_iteration_started')).toBe(3);
    expect(counts('loop_iteration_completed')).toBe(3);
    expect(counts('hitl_question_asked')).toBe(3);
    expect(counts('hitl_answer_received')).toBe(3);
    expect(counts('effect_satisfied')).toBe(3);
    expect(nodes.filter(({ node_id }) => node_id === 'work').map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(new Set(nodes.map(({ activation_id }) => activation_id)).size).toBe(nodes.length);
  });

  it('hides secrets where it is shown and gives them to what runs', async () => {
    const secrets = new SecretRegistry();
    secrets.add('s3cr3t-value');
    let seen: unknown;
    const { capability } = counted('work', (inputs) => {
      seen = inputs;
      return { status: 'failed', error: `no entry for ${String(inputs.key)}` };
    });
    const { runs, start } = await hostOf({ capabilities: [capability], secrets });
    const graph = graphOf(
      [capabilityNode('a', 'work', { inputs: { key: { $ref: 'run.inputs.key' } } }), terminal('t')],
      ['a->t'],
    );
    const id = await start(graph, { inputs: { key: 's3cr3t-value' } });
    expect(seen).toEqual({ key: 's3cr3t-value' });
    const { run, events, nodes } = await runs.view(id);
    expect(JSON.stringify([events, nodes, run.error_summary])).not.toContain('s3cr3t-value');
    expect(run.error_summary).toContain('[REDACTED]');
  });
});

it('gives the same result parked and resumed in new processes as answered at once [runs.parked-equals-live]', async () => {
  const loop: JsonObject = {
    state_schema: { type: 'object', properties: { all: { type: 'string' }, last: { type: 'string' } } },
    input_mapping: { all: '', last: '' },
    continuation_condition: { from_path: 'loop.state.last', operator: 'in', value: ['a', 'b'] },
    max_iterations: 4,
    entry_node_id: 'h',
  };
  const graph = graphOf(
    [
      { node_id: 'loop', node_type: 'loop', config: loop },
      { ...hitl('h', { question: { $ref: 'loop.state.all' } }), parent_loop_node_id: 'loop' },
      {
        node_id: 'text',
        node_type: 'text_template',
        config: {
          inputs: { all: { $ref: 'loop.state.all' }, one: { $ref: 'nodes.h.output.answer' } },
          template: '{{ all }}{{ one }}',
        },
        parent_loop_node_id: 'loop',
      },
      {
        node_id: 'res',
        node_type: 'loop_result',
        config: {
          output_mapping: {
            all: { $ref: 'nodes.text.output.text' },
            last: { $ref: 'nodes.h.output.answer' },
          },
        },
        parent_loop_node_id: 'loop',
      },
      terminal('t'),
    ],
    ['loop->t', 'h->text', 'text->res'],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 4, maxLength: 4 }),
      async (answers) => {
        const waiting = [...answers];
        const lait = await createLait({ config: false, answer: async () => waiting.shift() });
        const live = await (await lait.load(graph)).run();
        const store = new MemoryRunStore();
        const id = await (await hostOf({ store })).start(graph);
        for (const answer of answers) {
          const { runs } = await hostOf({ store });
          if ((await runs.read(id)).status !== 'waiting_hitl') break;
          await runs.answer(id, answer);
          await runs.drive(id);
        }
        const record = (await store.read(id))!;
        const outcome = { completed: 'success', incomplete: 'incomplete' }[record.status as 'completed'];
        expect({ status: 'completed', value: record.result, outcome }).toEqual({
          status: live.status,
          value: live.status === 'completed' && live.value,
          outcome: live.status === 'completed' && live.outcome,
        });
      },
    ),
    { numRuns: 20 },
  );
});

describe('repeating a run', () => {
  it('begins anew with other inputs, or behind what happened before a node [runs.rerun-from]', async () => {
    const first = counted('work', () => ({ n: 1 }));
    let broken = true;
    const second = counted('second', () =>
      broken
        ? { status: 'failed' as const, error: 'boom' }
        : { status: 'succeeded' as const, output: { n: 2 } },
    );
    const { runs, start } = await hostOf({ capabilities: [first.capability, second.capability] });
    const graph = graphOf(
      [capabilityNode('a', 'work'), capabilityNode('b', 'second'), terminal('t')],
      ['a->b', 'b->t'],
    );
    const id = await start(graph);
    expect((await runs.read(id)).status).toBe('failed');
    broken = false;
    const again = await runs.rerun(id, { from: 'b' });
    expect(again).toMatchObject({ source_run_id: id, status: 'queued' });
    expect((await runs.drive(again.run_id)).status).toBe('completed');
    expect([first.calls.length, second.calls.length]).toEqual([1, 2]);
    const whole = await runs.rerun(id);
    await runs.drive(whole.run_id);
    expect(first.calls).toHaveLength(2);
    await expect(runs.rerun(id, { from: 't' })).rejects.toMatchObject(conflict);
    const open = await start(asking.nodes ? graphOf([hitl('h'), terminal('t')], ['h->t']) : asking);
    await expect(runs.rerun(open)).rejects.toMatchObject(conflict);
  });

  it('refuses inputs that do not fit', async () => {
    const { runs, start } = await hostOf({});
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const id = await start(graphOf([hitl('h'), terminal('t')], ['h->t'], schema), { inputs: { n: 1 } });
    await runs.cancel(id);
    await expect(runs.rerun(id, { inputs: { n: 'x' } })).rejects.toMatchObject({
      code: 'inputs_invalid',
      category: 'usage',
    });
  });
});

it('works on all queued runs but those that other processes have claimed', async () => {
  const { capability, calls } = counted('work');
  const store = new MemoryRunStore();
  const lait = await createLait({ config: false, capabilities: [capability], store });
  const runs = await lait.runs();
  const { plan } = await lait.load(graphOf([capabilityNode('a', 'work'), terminal('t')], ['a->t']));
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await runs.create(plan)).run_id);
  const [claimed] = await store.claim({ worker: 'another', leaseMs: 60_000, runId: ids[0]! });
  expect(claimed?.record.run_id).toBe(ids[0]);
  await runs.driveAll();
  const statuses = await Promise.all(ids.map(async (id) => (await runs.read(id)).status));
  expect(statuses).toEqual(['queued', 'completed', 'completed']);
  expect(calls).toHaveLength(2);
});

async function listOf(runs: Awaited<ReturnType<typeof hostOf>>['runs']) {
  return runs.list({ statuses: ['running'] });
}
