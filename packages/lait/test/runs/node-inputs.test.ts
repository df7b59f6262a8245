import { describe, expect, it } from 'vitest';
import { capabilityNode, counted, graphOf, hitl, hostOf, terminal } from './graph-host.js';

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

const loop = (output_mapping: object, more = {}) => [
  {
    node_id: 'l',
    node_type: 'loop',
    config: {
      state_schema: { type: 'object' },
      input_mapping: { n: { $ref: 'run.inputs.n' } },
      continuation_condition: { from_path: 'loop.iteration', operator: 'equals', value: 9 },
      max_iterations: 2,
      entry_node_id: 's',
      ...more,
    },
  },
  { ...capabilityNode('s', 'work', { inputs: { i: { $ref: 'loop.iteration' } } }), parent_loop_node_id: 'l' },
  { node_id: 'r', node_type: 'loop_result', config: { output_mapping }, parent_loop_node_id: 'l' },
];

it('the rows of a run show what every node was given, also those that call nothing', async () => {
  const { capability } = counted('work', (inputs) => inputs);
  const { runs, start } = await hostOf({ capabilities: [capability] });
  const template = { inputs: { a: { $ref: 'nodes.l.output.iterations' } }, template: '{{ a }}' };
  const nodes = [
    ...loop({ n: { $ref: 'nodes.s.output.i' } }),
    { node_id: 'x', node_type: 'text_template', config: template },
    terminal('t'),
  ];
  const id = await start(graphOf(nodes as never, ['l->x', 'x->t', 's->r']), { inputs: { n: 7 } });
  const { nodes: rows } = await runs.view(id);
  expect(rows.map(({ node_id, inputs }) => [node_id, inputs])).toEqual([
    ['l', { n: 7 }],
    ['s', { i: 1 }],
    ['r', { n: 1 }],
    ['x', { a: 1 }],
    ['t', undefined],
  ]);
});

it('a next state that one reference gives as a whole must be an object, or the loop fails', async () => {
  const { capability } = counted('work', () => ({ state: { n: 1 }, text: 'x' }));
  const { runs, start } = await hostOf({ capabilities: [capability] });
  const ended = async (field: string) => {
    const nodes = [...loop({ $ref: `nodes.s.output.${field}` }), terminal('t')];
    return runs.read(await start(graphOf(nodes as never, ['l->t', 's->r']), { inputs: { n: 7 } }));
  };
  expect((await ended('state')).status).toBe('completed');
  expect(await ended('text')).toMatchObject({
    status: 'failed',
    error_summary: expect.stringContaining('the state after iteration 1 does not fit'),
  });
});

it('a question with nothing to choose from is refused, not asked', async () => {
  const { runs, start } = await hostOf({});
  const inputs = { question: 'q', question_type: 'select', choices: { $ref: 'run.inputs.choices' } };
  const graph = graphOf([hitl('h', inputs), terminal('t')], ['h->t']);
  const of = async (choices: string[]) => runs.read(await start(graph, { inputs: { choices } }));
  expect((await of(['a'])).status).toBe('waiting_hitl');
  expect(await of([])).toMatchObject({
    status: 'failed',
    error_summary: expect.stringContaining('choices must have at least 1 items'),
  });
});
