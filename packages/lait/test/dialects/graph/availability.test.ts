import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GraphEdge, GraphNode } from '../../../src/dialects/graph/definition.js';
import { ScopeGraph } from '../../../src/dialects/graph/scope-graph.js';

const node = (node_id: string): GraphNode => ({
  node_id,
  node_type: 'capability',
  config: {},
  parent_loop_node_id: null,
  path: [],
  configPath: [],
});
const edge = (source: number, target: number, error: boolean, index: number): GraphEdge => ({
  edge_id: `e${index}`,
  source_node_id: `n${source}`,
  target_node_id: `n${target}`,
  edge_kind: error ? 'error' : 'normal',
  condition: null,
  order_index: index,
  path: [],
});

/** A graph whose edges lead forward, beginning at n0. */
const graphs = fc.integer({ min: 2, max: 8 }).chain((size) =>
  fc.array(fc.tuple(fc.nat(size - 2), fc.nat(size - 1), fc.boolean()), { maxLength: 16 }).map((pairs) => {
    const edges = pairs.flatMap(([source, step, error], index) => {
      const target = source + 1 + (step % Math.max(1, size - source - 1));
      return target < size ? [edge(source, target, error, index)] : [];
    });
    return { size, edges };
  }),
);

it('what certainly succeeded before a node is what every way to it leaves by a normal edge [graph.availability]', () => {
  fc.assert(
    fc.property(graphs, ({ size, edges }) => {
      const graph = new ScopeGraph(
        Array.from({ length: size }, (_, index) => node(`n${index}`)),
        edges,
      );
      const waysTo = (target: string): string[][] => {
        // Each way lists the nodes that it leaves by a normal edge.
        const ways: string[][] = [];
        const walk = (at: string, left: string[]) => {
          if (at === target) ways.push(left);
          else
            for (const next of edges.filter((one) => one.source_node_id === at))
              walk(next.target_node_id, next.edge_kind === 'error' ? left : [...left, at]);
        };
        walk('n0', []);
        return ways;
      };
      const reachable = graph.reachableFrom('n0');
      for (let later = 1; later < size; later += 1) {
        if (!reachable.has(`n${later}`)) continue;
        // Only ways from the entry count; other nodes without incoming edge are another issue.
        if (edges.some((one) => one.target_node_id === `n${later}` && !reachable.has(one.source_node_id)))
          continue;
        const ways = waysTo(`n${later}`);
        for (let earlier = 0; earlier < later; earlier += 1) {
          if (
            [...reachable].some((id) =>
              edges.some((one) => one.target_node_id === id && !reachable.has(one.source_node_id)),
            )
          )
            continue;
          const always = ways.every((way) => way.includes(`n${earlier}`));
          expect(graph.availability(`n${earlier}`, `n${later}`) === 'always').toBe(always);
        }
      }
    }),
    { numRuns: 300 },
  );
});
