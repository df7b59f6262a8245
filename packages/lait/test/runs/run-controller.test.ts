import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLait } from '../../src/create-lait.js';
import { MemoryRunStore } from '../../src/runs/memory-run-store.js';
import type { JsonObject } from '../../src/values/value.js';
import { capabilityNode, conflict, counted, graphOf, hitl, hostOf, terminal } from './graph-host.js';

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
    const open = await start(graphOf([hitl('h'), terminal('t')], ['h->t']));
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
