import { kinds } from '../kinds/index.js';
import type { ConcurrentUnit } from '../kinds/kind.js';
import type { PlacementRestriction, Plan, PlanNode } from '../plan/plan.js';
import { refusedIn } from '../plan/refused-in.js';

/** A step of a child workflow that may not run where the step that calls the child stands. */
export interface RefusedChild {
  /** The calling step of the plan that was looked at. */
  node: PlanNode;
  /** The workflow, at whatever depth, that holds the refused step. */
  child: Plan;
  restriction: PlacementRestriction;
}

/** Loads the workflow that a step of the last caller calls; undefined when it cannot be read. */
export type LoadChild = (reference: string, callers: readonly Plan[]) => Promise<Plan | undefined>;

/**
 * What a run would refuse because this plan calls a child from a concurrent unit. Source: steps seed, 並行実行の制約.
 */
export async function refusedChildren(plan: Plan, load: LoadChild): Promise<RefusedChild[]> {
  const refused: RefusedChild[] = [];
  for (const call of callsOf(plan)) {
    if (call.unit === undefined) continue;
    // A child is looked at once for each step: workflows that share children must not be followed along every path.
    const seen = new Set<string>();
    for await (const found of below([plan], call, load, seen)) refused.push({ ...found, node: call.node });
  }
  return refused;
}

interface Call {
  node: PlanNode;
  reference: string;
  /** The unit around the call. */
  unit: ConcurrentUnit | undefined;
}

async function* below(
  callers: readonly Plan[],
  { reference, unit }: Call,
  load: LoadChild,
  seen: Set<string>,
): AsyncGenerator<Omit<RefusedChild, 'node'>, void> {
  const child = await load(reference, callers);
  if (child === undefined || unit === undefined || seen.has(`${unit} ${child.origin}`)) return;
  seen.add(`${unit} ${child.origin}`);
  for (const restriction of refusedIn(child, unit)) yield { child, restriction };
  for (const call of callsOf(child, unit)) yield* below([...callers, child], call, load, seen);
}

/** The calls of other workflows in a plan that itself runs inside `unit`. */
function* callsOf({ body }: Plan, unit?: ConcurrentUnit): Generator<Call, void> {
  for (const { node, unit: around } of nodesInUnits(body.nodes, unit)) {
    const reference = kinds.get(node.kind)?.callsWorkflow?.(node.fields);
    if (reference !== undefined) yield { node, reference, unit: around };
  }
}

/** Inside an item everything counts as that. */
function* nodesInUnits(
  nodes: Iterable<PlanNode>,
  around: ConcurrentUnit | undefined,
): Generator<{ node: PlanNode; unit: ConcurrentUnit | undefined }, void> {
  for (const node of nodes) {
    yield { node, unit: around };
    for (const { block, unit = around } of kinds.get(node.kind)?.blocks?.(node.fields) ?? [])
      yield* nodesInUnits(block.nodes, around === 'items' ? around : unit);
    if (node.onError !== undefined) yield* nodesInUnits(node.onError.nodes, around);
  }
}
