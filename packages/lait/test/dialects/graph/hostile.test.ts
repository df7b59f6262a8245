import { describe, expect, it } from 'vitest';
import { checkGraphDefinition, graphPlan } from '../../../src/dialects/graph/index.js';
import type { JsonObject, JsonValue } from '../../../src/values/value.js';
import { capabilityNode, counted, graphOf, hostOf, terminal } from '../../runs/graph-host.js';

const codesOf = (graph: unknown) => checkGraphDefinition(graph as JsonObject).issues.map(({ code }) => code);

describe('hostile graphs', () => {
  it.each(
    [null, [], 1, 'x', {}, { nodes: {}, edges: 1 }, { nodes: [1, null, []], edges: ['x', null] }].map(
      (value) => [value],
    ),
  )('reports %j instead of throwing', (value) => {
    expect(checkGraphDefinition(value as never).valid).toBe(false);
  });

  it.each(['{', '', 'a: &x [*x]', '- [', `${'['.repeat(50_000)}`, 'nodes: !!js/function x', 'a: 1\na: 2'])(
    'reports text that is no graph',
    (text) => {
      expect(checkGraphDefinition({ file: 'g.yml', text }).valid).toBe(false);
    },
  );

  it('says where a text is nested too deep to be read', () => {
    const text = `{"edges": [],\n "nodes": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const { issues } = checkGraphDefinition({ file: 'g.json', text });
    expect(issues[0]).toMatchObject({ code: 'definition_syntax', message: 'nested deeper than 200 levels' });
  });

  it('stops aliases that multiply', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 12; level += 1)
      lines.push(`a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`);
    expect(checkGraphDefinition({ file: 'g.yml', text: lines.join('\n') }).issues[0]!.code).toBe(
      'definition_syntax',
    );
  });

  it('refuses nesting that would exhaust the stack [graph.hostile]', () => {
    let value: JsonValue = 1;
    for (let level = 0; level < 5000; level += 1) value = [value];
    expect(
      codesOf({ nodes: [{ node_id: 'a', node_type: 'capability', config: { inputs: value } }], edges: [] }),
    ).toEqual(['too_deep']);
  });

  it('checks 10,000 nodes in a chain and says only that there are too many', () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) =>
      capabilityNode(
        `n${index}`,
        'x',
        index === 0
          ? {}
          : { inputs: { a: { $ref: 'nodes.n0.output.x' }, b: { $ref: `nodes.n${index - 1}.output.y` } } },
      ),
    );
    const edges = nodes.slice(1).map((_, index) => `n${index}->n${index + 1}`);
    const graph = graphOf([...nodes, terminal('t')], [...edges, 'n9999->t']);
    expect(codesOf(graph)).toEqual(['max_nodes', 'max_edges']);
    const big = graphPlan(graph, { maxNodes: 20_000, maxEdges: 20_000 });
    expect(big.plan.body.nodes).toHaveLength(10_001);
  });

  it('runs 2,000 nodes when the limit is raised', async () => {
    const { capability, calls } = counted('x');
    const { runs } = await hostOf({ capabilities: [capability] });
    const nodes = Array.from({ length: 2000 }, (_, index) => capabilityNode(`n${index}`, 'x'));
    const edges = nodes.slice(1).map((_, index) => `n${index}->n${index + 1}`);
    const graph = graphOf([...nodes, terminal('t')], [...edges, 'n1999->t']);
    const { plan } = graphPlan(graph, { maxNodes: 5000, maxEdges: 5000 });
    const { run_id } = await runs.create(plan);
    const record = await runs.drive(run_id);
    expect(record.status).toBe('completed');
    expect(calls).toHaveLength(2000);
  });

  it('finds every node of a cycle and nothing behind it', () => {
    const graph = graphOf([...'abcd'].map((id) => capabilityNode(id, 'x')).concat(terminal('t')), [
      'a->b',
      'b->c',
      'c->b',
      'c->d',
      'd->t',
    ]);
    const cyclic = checkGraphDefinition(graph).issues.filter(({ code }) => code === 'cycle');
    expect(cyclic.map(({ node_id }) => node_id)).toEqual(['b', 'c']);
  });

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'a>b',
    'a#1',
    'a@2',
    'a?',
    'a!',
    'a~1',
    'a/b',
    'a b',
    '日本語🎉',
    '%2e',
  ])('runs a graph whose nodes and inputs are called %s', async (id) => {
    const { capability, calls } = counted('work', (inputs) => inputs);
    const { runs, start } = await hostOf({ capabilities: [capability] });
    const inputs = JSON.parse(`{"${id}": {"$ref": "run.inputs.v"}}`) as JsonObject;
    const graph = graphOf(
      [
        capabilityNode(id, 'work', { inputs }),
        capabilityNode('last', 'work', { inputs: { x: { $ref: `nodes.${id}.output` } } }),
        terminal('t'),
      ],
      [`${id}->last`, 'last->t'],
    );
    const run = await start(graph, { inputs: { v: 1 } });
    const view = await runs.view(run);
    expect(view.run.status).toBe('completed');
    expect(JSON.stringify(view.run.result)).toBe(`{"x":{"${id}":1}}`);
    expect(view.nodes.map(({ node_id, status }) => [node_id, status])).toEqual([
      [id, 'succeeded'],
      ['last', 'succeeded'],
      ['t', 'succeeded'],
    ]);
    expect(calls.map(({ activationId }) => activationId)).toEqual(
      view.nodes.slice(0, 2).map(({ activation_id }) => activation_id),
    );
  });
});

it('suggestions for many wrong names cost little: what would be too much to compare gets none', () => {
  const name = (index: number) => `${index}`.padEnd(98, 'x');
  const nodes = Array.from({ length: 1000 }, (_, index) => terminal(name(index)));
  const edges = Array.from({ length: 900 }, (_, index) => `${name(index)}->${name(index)}y`);
  const { issues } = checkGraphDefinition(graphOf(nodes, edges));
  const hints = issues.filter(({ code }) => code === 'edge_endpoint').map(({ hint }) => hint);
  expect([hints[0], hints.at(-1)]).toEqual([expect.stringContaining('did you mean'), undefined]);
  const few = checkGraphDefinition(graphOf([terminal('t')], ['t->tt', 't->ttt'])).issues;
  expect(few.map(({ hint }) => hint)).toContain("did you mean 't'?");
});

it('a broken text is reported with every place, and many keys cost little [graph.hostile]', () => {
  const text = 'nodes:\n  - <<: &a {x: 1}\n    y: 1\n    y: 2\nedges: 1\n';
  const { issues } = checkGraphDefinition({ file: 'g.yml', text });
  expect(issues.map(({ code, position }) => [code, position?.line, position?.column])).toEqual([
    ['definition_syntax', 2, 5],
    ['definition_syntax', 4, 5],
  ]);
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1]));
  const wide = JSON.stringify({ nodes: [], edges: [], inputs_schema: { properties: many } });
  expect(checkGraphDefinition({ file: 'g.json', text: wide }).valid).toBe(false);
});
