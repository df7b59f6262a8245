import { CancelledError } from '../../errors/errors.js';
import type { Activity } from '../activity.js';
import { CancelScope } from '../cancel-scope.js';
import type { Address, BranchExecutor, BranchOutcome, ForkSpecification, Runtime } from '../runtime.js';

/** What a fork in this process needs of its run. */
export interface ForkHost {
  readonly activity: Activity;
  /** Forks that have failed already: when nothing else can move, their waiting branches are given up. */
  readonly failedForks: Set<CancelScope>;
  readonly executor: BranchExecutor;
  branch(): Runtime;
}

/** Runs branches with at most `maxConcurrency` at once; on a `first` failure the others are cancelled and awaited. */
export async function forkInProcess(
  address: Address,
  { branches, shared, maxConcurrency, failure }: ForkSpecification,
  cancel: CancelScope,
  host: ForkHost,
): Promise<BranchOutcome[]> {
  const group = new CancelScope(cancel);
  const outcomes: BranchOutcome[] = branches.map(() => ({ status: 'cancelled' }));
  let next = 0;
  const work = async () => {
    while (next < branches.length && !group.cancelled) {
      const index = next;
      next += 1;
      const branch = branches[index]!;
      const outcome = await host.executor(`${address}/${branch.key}`, shared, branch, host.branch(), group);
      outcomes[index] = outcome;
      if (outcome.status === 'failed') {
        if (failure === 'first') group.cancel(new CancelledError({ message: 'a sibling branch failed' }));
        else {
          next = branches.length;
          host.failedForks.add(group);
        }
      }
    }
    host.activity.leave();
  };
  const workers = Math.min(maxConcurrency, branches.length);
  for (let worker = 0; worker < workers; worker += 1) host.activity.enter();
  const running = Array.from({ length: workers }, work);
  host.activity.leave();
  try {
    await Promise.all(running);
  } finally {
    host.activity.enter();
    host.failedForks.delete(group);
    group.dispose();
  }
  return outcomes;
}
