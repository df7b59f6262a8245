import type { RunRecord } from '../run-record.js';
import type { ClaimRequest, RunLease } from '../run-store.js';
import { claimableStatuses, nextHead } from './claim-order.js';
import { leaseLost } from './stored-record.js';

interface Held extends RunLease {
  workflow: string;
  /** In milliseconds since 1970; 0 when it was given back. */
  until: number;
}

/** Claims of the runs that this process holds in memory or in files. */
export class MemoryClaims {
  readonly #held = new Map<string, Held>();
  readonly #turns = new Map<string, number>();
  #turn = 0;

  /** Claims from these runs. `mayTake` is asked last, and may say that another process has the run. */
  claim(request: ClaimRequest, records: Iterable<RunRecord>): RunLease[] {
    const { worker, leaseMs, runId, max = 1, limits = {} } = request;
    const now = Date.now();
    const active = new Map<string, number>();
    for (const { workflow, until } of this.#held.values())
      if (until > now) active.set(workflow, (active.get(workflow) ?? 0) + 1);
    const waiting = new Map<
      string,
      { run_id: string; workflow: string; priority: number; queued_at: string }
    >();
    for (const { run_id, status, definition, priority = 0, queued_at, created_at } of records) {
      if (runId !== undefined && run_id !== runId) continue;
      if (!claimableStatuses.includes(status) || (this.#held.get(run_id)?.until ?? 0) > now) continue;
      waiting.set(run_id, { run_id, workflow: definition.id, priority, queued_at: queued_at ?? created_at });
    }
    const leases: RunLease[] = [];
    while (leases.length < max) {
      const next = nextHead([...waiting.values()], { active, turns: this.#turns, limits });
      if (next === undefined) break;
      const { run_id, workflow } = next;
      waiting.delete(run_id);
      active.set(workflow, (active.get(workflow) ?? 0) + 1);
      this.#turn += 1;
      this.#turns.set(workflow, this.#turn);
      const lease = { run_id, worker, attempt: (this.#held.get(run_id)?.attempt ?? 0) + 1 };
      this.#held.set(run_id, { ...lease, workflow, until: now + leaseMs });
      leases.push(lease);
    }
    return leases;
  }

  renew(lease: RunLease, leaseMs: number): boolean {
    const held = this.#held.get(lease.run_id);
    if (held === undefined || held.until === 0 || !this.isNewest(lease)) return false;
    held.until = Date.now() + leaseMs;
    return true;
  }

  release(lease: RunLease): void {
    if (this.isNewest(lease)) this.free(lease.run_id);
  }

  /** Lets anybody claim the run; the count of its claims goes on. */
  free(runId: string): void {
    const held = this.#held.get(runId);
    if (held !== undefined) held.until = 0;
  }

  /** False as soon as somebody else has claimed the run. */
  isNewest({ run_id, attempt }: RunLease): boolean {
    return this.#held.get(run_id)?.attempt === attempt;
  }

  /** Throws `lease_lost` when somebody else has claimed the run. */
  require(lease: RunLease | undefined): void {
    if (lease !== undefined && !this.isNewest(lease)) throw leaseLost(lease.run_id);
  }

  forget(runId: string): void {
    this.#held.delete(runId);
  }
}
