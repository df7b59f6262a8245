import { isTerminal, runStatuses } from '../run-status.js';
import type { RunStore } from '../run-store.js';

const dayMs = 24 * 60 * 60 * 1000;
const page = 100;

/**
 * Removes runs that ended more than so many days ago, with everything that belongs to them; never one that has not
 * ended. Gives their ids. Source: graph facts §8.5.
 */
export async function removeEndedRuns(
  store: RunStore,
  { days, now = Date.now() }: { days: number; now?: number },
): Promise<string[]> {
  const finishedBefore = new Date(now - days * dayMs).toISOString();
  const statuses = runStatuses.filter(isTerminal);
  const removed: string[] = [];
  for (;;) {
    const old = await store.list({ statuses, finishedBefore, order: 'oldest', limit: page });
    for (const { run_id } of old) {
      await store.remove(run_id);
      removed.push(run_id);
    }
    if (old.length < page) return removed;
  }
}
