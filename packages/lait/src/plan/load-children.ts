import type { Kinds } from '../kinds/kind.js';
import type { WorkflowService } from '../kinds/services.js';
import { allNodes } from './all-nodes.js';
import type { Plan, PlanNode } from './plan.js';

export interface LoadedChildren {
  /** The workflow behind each step that calls one, through all levels. */
  children: ReadonlyMap<PlanNode, Plan>;
  /** Steps whose workflow could not be read, or that close a cycle. */
  failures: readonly { plan: Plan; node: PlanNode; error: unknown }[];
}

export interface LoadChildrenOptions {
  kinds: Kinds;
  workflows: WorkflowService;
  signal: AbortSignal;
}

/** Reads every workflow that a plan can reach, each once. Throws only when `signal` is aborted. */
export async function loadChildren(plan: Plan, options: LoadChildrenOptions): Promise<LoadedChildren> {
  const children = new Map<PlanNode, Plan>();
  const failures: { plan: Plan; node: PlanNode; error: unknown }[] = [];
  const explored = new Set<string>();
  const explore = async (caller: Plan, callers: readonly string[]) => {
    for (const node of allNodes(caller.body.nodes, options.kinds)) {
      const reference = options.kinds.get(node.kind)?.callsWorkflow?.(node.fields);
      if (reference === undefined) continue;
      const { signal } = options;
      let child: Plan;
      try {
        child = await options.workflows.load(reference, caller.directory, { signal, callers });
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ plan: caller, node, error });
        continue;
      }
      children.set(node, child);
      if (explored.has(child.origin)) continue;
      explored.add(child.origin);
      await explore(child, [...callers, child.origin]);
    }
  };
  await explore(plan, [plan.origin]);
  return { children, failures };
}
