import type { RunStatus } from '../run-status.js';
import type { ClaimLimits } from '../run-store.js';

/** Statuses of runs that somebody should work on. */
export const claimableStatuses: readonly RunStatus[] = ['queued', 'running', 'cancelling'];

/** The first waiting run of a workflow and priority. */
export interface QueueHead {
  workflow: string;
  priority: number;
  /** Since when it waits; texts that sort by time. */
  queued_at: string;
}

/** What a claim must know of the runs that are worked on. */
export interface ClaimState {
  /** Claims that hold, by workflow. */
  active: ReadonlyMap<string, number>;
  /** When each workflow was served last: a number that grows with every claim. */
  turns: ReadonlyMap<string, number>;
  limits: ClaimLimits;
}

/**
 * Whose turn it is: the highest priority; among equals the workflow with the fewest claims, then the one that was not
 * served for the longest time, then the run that waited longest. `undefined` when limits leave none.
 */
export function nextHead<H extends QueueHead>(heads: readonly H[], state: ClaimState): H | undefined {
  const { active, turns, limits } = state;
  let total = 0;
  for (const count of active.values()) total += count;
  if (total >= (limits.total ?? Number.POSITIVE_INFINITY)) return undefined;
  const claims = ({ workflow }: H) => active.get(workflow) ?? 0;
  const turn = ({ workflow }: H) => turns.get(workflow) ?? 0;
  let best: H | undefined;
  for (const head of heads) {
    if (claims(head) >= limitOf(head.workflow, limits)) continue;
    if (best === undefined) {
      best = head;
      continue;
    }
    const order =
      best.priority - head.priority ||
      claims(head) - claims(best) ||
      turn(head) - turn(best) ||
      (head.queued_at < best.queued_at ? -1 : 1);
    if (order < 0) best = head;
  }
  return best;
}

function limitOf(
  workflow: string,
  { workflows, perWorkflow = Number.POSITIVE_INFINITY }: ClaimLimits,
): number {
  return workflows !== undefined && Object.hasOwn(workflows, workflow) ? workflows[workflow]! : perWorkflow;
}
