import { isLaitError } from '../../../errors/lait-error.js';
import { CheckpointClaim, removeClaims } from '../../checkpoint-claim.js';
import type { RunRecord } from '../../run-record.js';
import type { ClaimRequest, RunLease } from '../../run-store.js';
import { MemoryClaims } from '../memory-claims.js';

/**
 * Claims of runs in files. Limits and turns are those of this process; a run that another living process works on is
 * never claimed, and one whose process has died is free at once.
 */
export class FileClaims {
  readonly #memory = new MemoryClaims();
  readonly #held = new Map<string, CheckpointClaim>();

  constructor(private readonly directory: string) {}

  async claim(request: ClaimRequest, records: readonly RunRecord[]): Promise<RunLease[]> {
    const claimed: RunLease[] = [];
    const elsewhere = new Set<string>();
    while (claimed.length < (request.max ?? 1)) {
      const free = records.filter(({ run_id }) => !elsewhere.has(run_id));
      const [lease] = this.#memory.claim({ ...request, max: 1 }, free);
      if (lease === undefined) break;
      if (await this.#take(lease.run_id)) claimed.push(lease);
      else {
        this.#memory.release(lease);
        elsewhere.add(lease.run_id);
      }
    }
    return claimed;
  }

  renew(lease: RunLease, leaseMs: number): boolean {
    return this.#memory.renew(lease, leaseMs);
  }

  async release(lease: RunLease): Promise<void> {
    if (this.#memory.isNewest(lease)) await this.free(lease.run_id);
  }

  /** Lets anybody claim the run. */
  async free(runId: string): Promise<void> {
    const held = this.#held.get(runId);
    this.#held.delete(runId);
    await held?.release();
    this.#memory.free(runId);
  }

  /** Throws `lease_lost` when somebody else has claimed the run. */
  require(lease: RunLease | undefined): void {
    this.#memory.require(lease);
  }

  async forget(runId: string): Promise<void> {
    this.#memory.forget(runId);
    this.#held.delete(runId);
    await removeClaims(this.directory, runId);
  }

  /** False when another process has the run. */
  async #take(runId: string): Promise<boolean> {
    if (this.#held.has(runId)) return true;
    try {
      this.#held.set(runId, await CheckpointClaim.take(this.directory, runId));
      return true;
    } catch (error) {
      if (isLaitError(error) && error.code === 'run_in_use') return false;
      throw error;
    }
  }
}
