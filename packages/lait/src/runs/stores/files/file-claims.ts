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
    if (!this.#memory.isNewest(lease)) return;
    const held = this.#held.get(lease.run_id);
    this.#held.delete(lease.run_id);
    await held?.release();
    this.#memory.release(lease);
  }

  /** Lets this process claim the run again; another one only when this one has ended or given it back. */
  free(runId: string): void {
    this.#memory.free(runId);
  }

  isNewest(lease: RunLease): boolean {
    return this.#memory.isNewest(lease);
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
