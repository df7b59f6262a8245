import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import { CheckpointClaim } from '../../checkpoint-claim.js';

/**
 * Lets one at a time change the files of a run: in this process in the order of asking, and among processes. A process
 * that dies lets go. Throws a `LaitError` (code `run_locked`) when another one keeps it for too long.
 */
export class RunLocks {
  readonly #queues = new Map<string, Promise<unknown>>();

  /** `patienceMs`: how long another process that changes a run is waited for. */
  constructor(
    private readonly directory: string,
    private readonly patienceMs: number,
  ) {}

  async hold<T>(runId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(runId);
    const mine = (async () => {
      await before?.catch(() => {});
      const claim = await this.#take(runId);
      try {
        return await work();
      } finally {
        await claim.release();
      }
    })();
    this.#queues.set(runId, mine);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(runId) === mine) this.#queues.delete(runId);
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#queues.size > 0) await Promise.allSettled(this.#queues.values());
  }

  path(runId: string): string {
    return join(this.directory, runId);
  }

  async #take(runId: string): Promise<CheckpointClaim> {
    const end = Date.now() + this.patienceMs;
    for (;;) {
      try {
        return await CheckpointClaim.take(this.path(runId), runId);
      } catch (error) {
        if (!isLaitError(error) || error.code !== 'run_in_use') throw error;
        if (Date.now() >= end)
          throw new LaitError({
            code: 'run_locked',
            message: `run '${runId}' is locked by process ${error.details.pid} since ${error.details.claimed_at}; try again when it has ended`,
            disposition: 'retryable',
            details: error.details,
          });
        await delay(2 + Math.random() * 8);
      }
    }
  }
}
