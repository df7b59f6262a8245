import type { Kinds } from '../kinds/kind.js';
import type { PlanNode } from './plan.js';

/** Nodes and everything inside them, in the order of the source: bodies, branches, handlers. Children stay closed. */
export function* allNodes(nodes: Iterable<PlanNode>, kinds: Kinds): Generator<PlanNode, void> {
  for (const node of nodes) {
    yield node;
    for (const { block } of kinds.get(node.kind)?.blocks?.(node.fields) ?? [])
      yield* allNodes(block.nodes, kinds);
    if (node.onError !== undefined) yield* allNodes(node.onError.nodes, kinds);
  }
}
