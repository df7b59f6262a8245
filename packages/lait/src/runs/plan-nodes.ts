import type { Kind, Kinds } from '../kinds/kind.js';
import type { Block, Plan, PlanNode } from '../plan/plan.js';

/** Every node of a plan with its kind, blocks inside kinds included. */
export function* nodesOf(plan: Plan, kinds: Kinds): Generator<{ node: PlanNode; kind: Kind | undefined }> {
  const pending: Block[] = [plan.body];
  for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
    for (const node of block.nodes) {
      const kind = kinds.get(node.kind);
      yield { node, kind };
      for (const child of kind?.blocks?.(node.fields) ?? []) pending.push(child.block);
      if (node.onError !== undefined) pending.push(node.onError);
    }
  }
}
