import type { Reference } from '../expressions/expression.js';
import type { Block, PlanNode } from '../plan/plan.js';
import type { Kinds } from './kind.js';

/** What is known of a block without running it. */
export interface BlockTraits {
  /** Nothing in it touches the world or waits: it may be recomputed. */
  pure: boolean;
  /** The recorded steps that its expressions read; `all` where one reads the whole object. */
  steps: ReadonlySet<string> | 'all';
}

const known = new WeakMap<Block, BlockTraits>();

/** The traits of blocks that run side by side, taken together. */
export function concurrentTraits(branches: readonly { block: Block }[], kinds: Kinds): BlockTraits {
  const blocks = new Set(branches.map((branch) => branch.block));
  return [...blocks]
    .map((block) => blockTraits(block, kinds))
    .reduce(merge, { pure: true, steps: new Set() });
}

/** The traits of one block; worked out once. */
function blockTraits(block: Block, kinds: Kinds): BlockTraits {
  let traits = known.get(block);
  if (traits === undefined) {
    traits = block.nodes
      .map((node) => nodeTraits(node, kinds))
      .reduce(merge, { pure: true, steps: new Set() });
    for (const edges of block.edges ?? []) {
      for (const edge of edges) traits = merge(traits, readBy(edge.condition?.references ?? []));
    }
    known.set(block, traits);
  }
  return traits;
}

function nodeTraits(node: PlanNode, kinds: Kinds): BlockTraits {
  const kind = kinds.get(node.kind);
  if (kind === undefined) throw new Error(`unknown kind '${node.kind}' at ${node.path}`);
  let traits: BlockTraits = {
    pure: kind.effects === 'none' && kind.waits !== true && (node.retry?.delaySeconds ?? 0) === 0,
    steps: kind.readsAllSteps?.(node.fields) === true ? 'all' : new Set(),
  };
  for (const expression of [node.when, node.input, node.output]) {
    if (expression !== undefined) traits = merge(traits, readBy(expression.references));
  }
  for (const { expression } of kind.expressions?.(node.fields) ?? [])
    traits = merge(traits, readBy(expression.references));
  for (const { block } of kind.blocks?.(node.fields) ?? []) traits = merge(traits, blockTraits(block, kinds));
  if (node.onError !== undefined) traits = merge(traits, blockTraits(node.onError, kinds));
  return traits;
}

function readBy(references: readonly Reference[]): BlockTraits {
  const steps = new Set<string>();
  for (const { root, path } of references) {
    if (root !== 'steps') continue;
    if (path.length === 0) return { pure: true, steps: 'all' };
    steps.add(String(path[0]));
  }
  return { pure: true, steps };
}

function merge(left: BlockTraits, right: BlockTraits): BlockTraits {
  return {
    pure: left.pure && right.pure,
    steps: left.steps === 'all' || right.steps === 'all' ? 'all' : new Set([...left.steps, ...right.steps]),
  };
}
