import { describe, expect, it } from 'vitest';
import { CapabilityRegistry } from '../../../src/capabilities/capability-registry.js';
import { defineCapability } from '../../../src/capabilities/define-capability.js';
import { checkGraphDefinition } from '../../../src/dialects/graph/index.js';
import type { JsonObject, JsonValue } from '../../../src/values/value.js';
import { capabilityNode, type GraphNodeInput, graphOf, hitl, terminal } from '../../runs/graph-host.js';

const capabilities = new CapabilityRegistry({
  environment: { variables: {}, workingDirectory: '/' },
  tools: { registered: () => undefined },
  given: [
    defineCapability({ key: 'echo', read_only: true, execute: (inputs) => inputs }),
    defineCapability({
      key: 'typed',
      effects: ['done'],
      input_schema: {
        type: 'object',
        properties: { day: { type: 'string', format: 'date' }, n: { type: 'integer' } },
        required: ['n'],
      },
      output_schema: {
        type: 'object',
        properties: { n: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
      execute: () => ({ n: 1 }),
    }),
    defineCapability({ key: 'off', enabled: false, execute: () => ({}) }),
  ],
});
const options = { capabilities, agents: new Set(['writer']) };

const issuesOf = (graph: JsonObject) =>
  checkGraphDefinition(graph, options).issues.map(({ code, severity, node_id, edge_id, path }) =>
    [severity === 'error' ? code : `~${code}`, node_id ?? edge_id ?? '', path ?? ''].join(' '),
  );

const single = (config: JsonObject, schema?: JsonObject, type = 'capability') =>
  graphOf([{ node_id: 'a', node_type: type, config }, terminal('t')], ['a->t'], schema);
const echo = (inputs: JsonValue, schema?: JsonObject) => single({ capability_key: 'echo', inputs }, schema);
const date = (more: JsonObject) => ({
  $expr: { kind: 'date_math', version: 1, anchor: 'now', math: '', result: 'date', ...more },
});

const loopConfig: JsonObject = {
  state_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  input_mapping: { n: 0 },
  continuation_condition: { from_path: 'loop.state.n', operator: 'equals', value: 0 },
  max_iterations: 3,
  entry_node_id: 'step',
};
const loopGraph = (
  config: JsonObject = {},
  children?: GraphNodeInput[],
  extra: string[] = [],
  before: GraphNodeInput[] = [],
) =>
  graphOf(
    [
      ...before,
      { node_id: 'loop', node_type: 'loop', config: { ...loopConfig, ...config } },
      ...(children ?? [
        { ...capabilityNode('step', 'echo'), parent_loop_node_id: 'loop' },
        {
          node_id: 'res',
          node_type: 'loop_result',
          config: { output_mapping: { n: 1 } },
          parent_loop_node_id: 'loop',
        },
      ]),
      terminal('t'),
    ],
    ['loop->t', 'step->res', ...extra],
  );

describe('issues name what is wrong and where', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'a typo of a key',
      single({ capability_key: 'echo', input: {} }),
      ['~config_unknown_key a nodes[0].config.input'],
    ],
    [
      'a switched off capability',
      single({ capability_key: 'off' }),
      ['capability_disabled a nodes[0].config.capability_key'],
    ],
    [
      'inputs that are null',
      single({ capability_key: 'echo', inputs: null }),
      ['inputs_shape a nodes[0].config.inputs'],
    ],
    [
      'a negative retry',
      single({ capability_key: 'echo', retry: { max_attempts: -1, backoff_seconds: 'x' } }),
      [
        'retry_max_attempts a nodes[0].config.retry.max_attempts',
        'retry_backoff a nodes[0].config.retry.backoff_seconds',
      ],
    ],
    [
      'an agent with a prompt of its own',
      single({ agent_id: 'writer', prompt: 'x', output_schema: { type: 'object' } }, undefined, 'agent'),
      ['agent_unknown_keys a nodes[0].config.prompt'],
    ],
    [
      'an agent with a key that nothing reads',
      single({ agent_id: 'writer', note: 'x', output_schema: { type: 'object' } }, undefined, 'agent'),
      ['~config_unknown_key a nodes[0].config.note'],
    ],
    [
      'an agent that answers with text',
      single({ agent_id: 'writer', output_schema: { type: 'string' } }, undefined, 'agent'),
      ['schema_subset a nodes[0].config.output_schema'],
    ],
    [
      'a schema nested too deep',
      single({ agent_id: 'writer', output_schema: nested(9) }, undefined, 'agent'),
      [expect.stringMatching(/^schema_subset a /)],
    ],
    [
      'a schema of eight levels',
      single({ agent_id: 'writer', output_schema: nested(8) }, undefined, 'agent'),
      [],
    ],
    [
      'a catastrophic pattern',
      single(
        {
          agent_id: 'writer',
          output_schema: { type: 'object', properties: { x: { type: 'string', pattern: '(?=a)b' } } },
        },
        undefined,
        'agent',
      ),
      ['schema_subset a nodes[0].config.output_schema.properties.x.pattern'],
    ],
    [
      'a reference with another key',
      echo({ x: { $ref: 'run.inputs.a', other: 1 } }),
      ['reference_shape a nodes[0].config.inputs.x'],
    ],
    ['a blank reference', echo({ x: { $ref: '  ' } }), ['reference_shape a nodes[0].config.inputs.x']],
    [
      'an empty part',
      echo({ x: { $ref: 'run.inputs.a..b' } }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'an index behind output',
      echo({ x: { $ref: 'nodes.a.output[0]' } }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'all inputs at once',
      echo({ x: { $ref: 'run.inputs' } }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'loop values outside',
      echo({ x: { $ref: 'loop.iteration' } }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'its own output',
      echo({ x: { $ref: 'nodes.a.output.y' } }),
      ['reference_order a nodes[0].config.inputs.x'],
    ],
    [
      'a field of a text',
      echo({ x: { $ref: 'run.inputs.s.y' } }, { type: 'object', properties: { s: { type: 'string' } } }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'a field that nobody declares',
      echo(
        { x: { $ref: 'run.inputs.o.y' } },
        { type: 'object', properties: { o: { type: 'object', properties: {} } } },
      ),
      ['~reference_undeclared a nodes[0].config.inputs.x'],
    ],
    [
      'prototype names',
      echo({ x: { $ref: 'run.inputs.constructor' } }, { type: 'object', properties: {} }),
      ['reference_scope a nodes[0].config.inputs.x'],
    ],
    [
      'a date for a number',
      single({ capability_key: 'typed', inputs: { n: date({}) } }),
      ['expression a nodes[0].config.inputs.n', '~capability_effects a nodes[0].config'],
    ],
    [
      'a date-time for a date',
      single({ capability_key: 'typed', inputs: { n: 1, day: date({ result: 'datetime' }) } }),
      ['expression a nodes[0].config.inputs.day', '~capability_effects a nodes[0].config'],
    ],
    [
      'an anchor that is no date',
      echo(
        { x: date({ anchor: { $ref: 'run.inputs.n' } }) },
        { type: 'object', properties: { n: { type: 'integer' } } },
      ),
      ['expression a nodes[0].config.inputs.x'],
    ],
    [
      'an expression with a bad unit',
      echo({ x: date({ math: '+1q' }) }),
      ['expression a nodes[0].config.inputs.x.$expr'],
    ],
    [
      'a literal of the wrong type',
      single({ capability_key: 'typed', inputs: { n: 'x' } }),
      ['inputs_value a nodes[0].config.inputs.n', '~capability_effects a nodes[0].config'],
    ],
    [
      'a missing and an unknown input',
      single({ capability_key: 'typed', inputs: { m: 1 } }),
      [
        '~inputs_value a nodes[0].config.inputs',
        '~inputs_value a nodes[0].config.inputs.m',
        '~capability_effects a nodes[0].config',
      ],
    ],
    [
      'a retry of what may not be repeated',
      single({ capability_key: 'typed', inputs: { n: 1 }, retry: { max_attempts: 2 } }),
      ['~capability_effects a nodes[0].config', '~retry_effects a nodes[0].config.retry'],
    ],
    [
      'a secret',
      echo({ x: 'sk-abcdefghijklmnopqrstuvwx', api_key: 'hunter2hunter2' }),
      ['~secret_literal a nodes[0].config.inputs.api_key', '~secret_literal a nodes[0].config.inputs.x'],
    ],
    [
      'a template with a mistake',
      single({ inputs: {}, template: 'a\n{% if %}' }, undefined, 'text_template'),
      ['template a nodes[0].config.template'],
    ],
    [
      'an llm with other keys',
      single(
        {
          provider: 'openai',
          model: ' ',
          output_schema: { type: 'object' },
          retry: {},
          max_tokens: 0,
          reasoning_effort: 1,
          system_prompt: 1,
        },
        undefined,
        'llm',
      ),
      [
        'llm_unknown_keys a nodes[0].config.retry',
        'llm_model a nodes[0].config.model',
        'llm_system_prompt a nodes[0].config.system_prompt',
        'llm_max_tokens a nodes[0].config.max_tokens',
        'llm_reasoning_effort a nodes[0].config.reasoning_effort',
      ],
    ],
    ['a leaf', graphOf([capabilityNode('a', 'echo')], []), ['~missing_edge a nodes[0].config']],
    [
      'a terminal that leads on',
      graphOf([capabilityNode('a', 'echo'), terminal('t'), terminal('u')], ['a->t', 't->u']),
      ['terminal_outgoing e1 edges[1]'],
    ],
    [
      'dangling ends',
      graphOf([capabilityNode('a', 'echo'), terminal('t')], ['a->t', 'a->x', 'y->t']),
      ['edge_endpoint e1 edges[1].target_node_id', 'edge_endpoint e2 edges[2].source_node_id'],
    ],
    [
      'an edge that is never taken',
      graphOf([capabilityNode('a', 'echo'), terminal('t'), terminal('u')], ['a->t', 'a->u']),
      ['~edge_shadowed e1 edges[1]'],
    ],
    [
      'a node that comes later',
      graphOf(
        [
          capabilityNode('a', 'echo', { inputs: { x: { $ref: 'nodes.b.output.y' } } }),
          capabilityNode('b', 'echo'),
          terminal('t'),
        ],
        ['a->b', 'b->t'],
      ),
      ['reference_order a nodes[0].config.inputs.x'],
    ],
    [
      'a failed node in its error handler',
      graphOf(
        [
          capabilityNode('a', 'echo'),
          capabilityNode('h', 'echo', { inputs: { x: { $ref: 'nodes.a.output.y' } } }),
          terminal('t'),
        ],
        ['a->t', 'a->h!', 'h->t'],
      ),
      ['~reference_conditional h nodes[1].config.inputs.x'],
    ],
    [
      'a closed output',
      graphOf(
        [
          hitl('h'),
          capabilityNode('b', 'echo', { inputs: { x: { $ref: 'nodes.h.output.nope' } } }),
          terminal('t'),
        ],
        ['h->b', 'b->t'],
      ),
      ['reference_scope b nodes[1].config.inputs.x'],
    ],
    ['a loop that is right', loopGraph(), []],
    [
      'no continuation',
      loopGraph({ continuation_condition: null }),
      ['condition_shape loop nodes[0].config.continuation_condition'],
    ],
    [
      'no state',
      loopGraph({ state_schema: null, input_mapping: [] }),
      ['state_schema_required loop nodes[0]', 'input_mapping_shape loop nodes[0].config.input_mapping'],
    ],
    [
      'too many iterations',
      loopGraph({ max_iterations: 51 }),
      ['max_iterations loop nodes[0].config.max_iterations'],
    ],
    [
      'a state field of the wrong kind',
      loopGraph({ continuation_condition: { from_path: 'loop.state.n.x', operator: 'exists' } }),
      ['reference_scope loop nodes[0].config.continuation_condition.from_path'],
    ],
    ['an edge across', loopGraph({}, undefined, ['step->t']), ['edge_scope e2 edges[2]']],
    [
      'a terminal inside',
      loopGraph(
        {},
        [
          { ...capabilityNode('step', 'echo'), parent_loop_node_id: 'loop' },
          {
            node_id: 'res',
            node_type: 'loop_result',
            config: { output_mapping: { n: 1 } },
            parent_loop_node_id: 'loop',
          },
          { ...terminal('x'), parent_loop_node_id: 'loop' },
        ],
        ['step->x'],
      ),
      ['loop_child_dead_end x nodes[3]', '~edge_shadowed e2 edges[2]'],
    ],
    [
      'a loop result at the top',
      graphOf([{ node_id: 'r', node_type: 'loop_result', config: { output_mapping: {} } }], []),
      ['loop_scope r nodes[0]'],
    ],
  ])('%s', (_, graph, expected) => {
    expect(issuesOf(graph)).toEqual(expected);
  });

  it('refuses a pipe whose first operator cannot take what is declared, and warns of later ones', () => {
    const topic: JsonObject = { type: 'object', properties: { topic: { type: 'string' } } };
    const piped = (...ops: string[]) =>
      issuesOf(echo({ x: { $ref: 'run.inputs.topic', pipe: ops.map((op) => ({ op })) } }, topic));
    expect(piped('join')).toEqual(['pipe_type a nodes[0].config.inputs.x.pipe[0]']);
    expect(piped('upper', 'lower', 'join', 'sort')).toEqual([
      '~pipe_type a nodes[0].config.inputs.x.pipe[2]',
    ]);
    expect(piped('upper', 'lower')).toEqual([]);
  });

  it('lets a child read what always ended before its loop, and nothing else of its parent', () => {
    const child = (id: string) => [
      {
        ...capabilityNode('step', 'echo', { inputs: { x: { $ref: `nodes.${id}.output.y` } } }),
        parent_loop_node_id: 'loop',
      },
      {
        node_id: 'res',
        node_type: 'loop_result',
        config: { output_mapping: { n: { $ref: 'nodes.step.output.n' } } },
        parent_loop_node_id: 'loop',
      },
    ];
    const before = [capabilityNode('a', 'echo'), capabilityNode('b', 'echo')];
    const graph = (id: string) => loopGraph({}, child(id), ['a->b', 'a->loop', 'b->loop'], before);
    const conditional = graph('b');
    (conditional.edges as JsonObject[])[2]!.condition = { from_path: 'run.inputs.x', operator: 'exists' };
    expect(issuesOf(graph('a')).filter((issue) => issue.startsWith('reference'))).toEqual([]);
    expect(issuesOf(conditional).filter((issue) => issue.startsWith('reference'))).toEqual([
      'reference_scope step nodes[3].config.inputs.x',
    ]);
    expect(issuesOf(graph('loop')).filter((issue) => issue.startsWith('reference'))).toEqual([
      'reference_order step nodes[3].config.inputs.x',
    ]);
  });

  it('gives file, line and column of JSON and YAML [graph.all-issues]', () => {
    const json =
      '{\n  "nodes": [\n    {"node_id": "a", "node_type": "nope", "config": {}}\n  ],\n  "edges": []\n}';
    const yaml = 'nodes:\n  - node_id: 日本語🎉\n    node_type: nope\nedges: []\n';
    for (const [file, text, line, column] of [
      ['g.json', json, 3, 5],
      ['g.yml', yaml, 2, 5],
    ] as const) {
      const { issues } = checkGraphDefinition({ file, text });
      const issue = issues.find(({ code }) => code === 'node_type')!;
      expect(issue.position).toMatchObject({ file, line, column });
    }
    expect(
      checkGraphDefinition({ file: 'g.yml', text: yaml }).issues.find(({ code }) => code === 'node_type')!
        .node_id,
    ).toBe('日本語🎉');
  });

  it('reads the columns of stored graphs as they are', () => {
    const graph = graphOf([capabilityNode('a', 'echo'), terminal('t')], ['a->t']);
    for (const node of graph.nodes as JsonObject[]) {
      node.config_json = JSON.stringify(node.config);
      delete node.config;
    }
    expect(checkGraphDefinition(graph, options)).toMatchObject({ valid: true });
    (graph.nodes as JsonObject[])[0]!.config_json = '{broken';
    expect(checkGraphDefinition(graph, options).issues.map(({ code }) => code)).toContain('config_shape');
    const text = graphOf([capabilityNode('a', 'echo'), terminal('t')], ['a->t'], 'x' as never);
    (text.edges as JsonObject[])[0]!.condition = 'x > 1';
    expect(issuesOf(text)).toEqual(['schema_subset  inputs_schema', 'condition_shape e0 edges[0].condition']);
  });
});

describe('a name that nothing has [graph.suggestions]', () => {
  const text = { type: 'object', properties: { topic: { type: 'string' } } };
  const edge = (change: JsonObject) => {
    const graph = graphOf([capabilityNode('first', 'echo'), terminal('last')], ['first->last'], text);
    Object.assign((graph.edges as JsonObject[])[0]!, change);
    return graph;
  };
  it.each<[string, JsonObject, string]>([
    ['a node type', single({ capability_key: 'echo' }, undefined, 'capabilty'), 'capability'],
    ['a capability', single({ capability_key: 'ecco' }), 'echo'],
    ['an agent', single({ agent_id: 'writr', output_schema: text }, undefined, 'agent'), 'writer'],
    ['a key of a config', single({ capability_key: 'echo', input: {} }), 'inputs'],
    ['a key of a node', { ...edge({}), node: [] }, 'nodes'],
    ['an edge kind', edge({ edge_kind: 'eror' }), 'error'],
    ['an end of an edge', edge({ target_node_id: 'lst' }), 'last'],
    ['an operator', edge({ condition: { from_path: 'run.inputs.topic', operator: 'equal' } }), 'equals'],
    ['a root', echo({ x: { $ref: 'run.input.topic' } }, text), 'run.inputs'],
    [
      'a root before a node',
      edge({ condition: { from_path: 'node.first.output', operator: 'exists' } }),
      'nodes.first',
    ],
    ['an input', echo({ x: { $ref: 'run.inputs.topik' } }, text), 'topic'],
    ['a node', edge({ condition: { from_path: 'nodes.fist.output', operator: 'exists' } }), 'first'],
    ['a pipe', echo({ x: { $ref: 'run.inputs.topic', pipe: [{ op: 'uper' }] } }, text), 'upper'],
    ['a keyword', echo({}, { type: 'object', propertys: {} }), 'properties'],
    ['an entry', loopGraph({ entry_node_id: 'stp' }), 'step'],
    [
      'a provider',
      single({ provider: 'opnai', model: 'm', output_schema: text }, undefined, 'llm'),
      'openai',
    ],
    ['a filter', single({ template: '{{ "x" | uper }}' }, undefined, 'text_template'), 'upper'],
    ['a test', single({ template: '{{ 1 is evn }}' }, undefined, 'text_template'), 'even'],
    [
      'a variable',
      single({ template: '{{ nme }}', inputs: { name: 1 } }, undefined, 'text_template'),
      'name',
    ],
  ])('gets the name that may be meant: %s', (_, graph, meant) => {
    const hints = checkGraphDefinition(graph, options).issues.map(({ hint }) => hint);
    expect(hints).toContain(`did you mean '${meant}'?`);
  });
});

function nested(levels: number): JsonObject {
  return levels === 1 ? { type: 'object' } : { type: 'object', properties: { x: nested(levels - 1) } };
}
