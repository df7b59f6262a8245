import { describe, expect, it } from 'vitest';
import { capabilityNode, counted, graphOf, hostOf, terminal } from './graph-host.js';

const output_schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const agent = (inputs = {}) => ({
  node_id: 'b',
  node_type: 'agent',
  config: { agent_id: 'writer', inputs, output_schema },
});

describe('inputs that come from one reference as a whole', () => {
  const nodes = (inputs: object) => [
    capabilityNode('b', 'work', { inputs, retry: { max_attempts: 2 } } as never),
    { node_id: 'b', node_type: 'text_template', config: { template: 'x', inputs } as never },
    agent(inputs as never),
  ];

  it.each([0, 1, 2])(
    'are an object of values, or the node fails before anything is called (%i)',
    async (which) => {
      const { capability: first } = counted('first', () => ({
        all: { x: 1 },
        one: true,
        none: null,
        list: [],
      }));
      const { capability, calls } = counted('work', (inputs) => inputs);
      const prompts: string[] = [];
      const writer = {
        answer: async (prompt: string) => {
          prompts.push(prompt);
          return { text: '{"text":"hi"}' };
        },
      };
      const host = await hostOf({ capabilities: [first, capability], agents: { writer } });
      const run = async (field: string) => {
        const node = nodes({ $ref: `nodes.a.output.${field}` })[which]!;
        const graph = graphOf([capabilityNode('a', 'first'), node, terminal('t')], ['a->b', 'b->t']);
        const id = await host.start(graph, { skipApproval: true });
        return host.runs.view(id);
      };
      expect((await run('all')).run.status).toBe('completed');
      const called = calls.length + prompts.length;
      for (const field of ['one', 'none', 'list']) {
        const { run: record, nodes: rows } = await run(field);
        expect(record).toMatchObject({
          status: 'failed',
          error_summary: expect.stringContaining('object of values'),
        });
        expect(rows.filter(({ node_id }) => node_id === 'b')).toMatchObject([
          { status: 'failed', attempt: 1 },
        ]);
      }
      expect(calls.length + prompts.length).toBe(called);
    },
  );
});

it.each([
  ['{"text":"hi"}', 'completed'],
  ['Here: ```{"text":"hi"}``` done', 'completed'],
  ['[{"text":"hi"}]', 'failed'],
  ['"{\\"text\\":\\"hi\\"}"', 'failed'],
  ['null', 'failed'],
])('an answer that is JSON as a whole must be the object itself: %s', async (text, status) => {
  const { runs, start } = await hostOf({ agents: { writer: { answer: async () => ({ text }) } } });
  const id = await start(graphOf([agent(), terminal('t')], ['b->t']), { skipApproval: true });
  expect((await runs.read(id)).status).toBe(status);
});
