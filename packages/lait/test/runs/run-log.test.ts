import { describe, expect, it } from 'vitest';
import { SecretRegistry } from '../../src/values/secrets.js';
import { capabilityNode, counted, graphOf, hitl, hostOf, terminal } from './graph-host.js';

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
