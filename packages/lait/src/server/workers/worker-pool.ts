import { setTimeout as delay } from 'node:timers/promises';
import { isLaitError } from '../../errors/lait-error.js';
import type { RunController } from '../../runs/run-controller.js';
import type { RunRecord } from '../../runs/run-record.js';
import type { ClaimLimits, RunClaim, RunLease, RunStore } from '../../runs/run-store.js';

export interface WorkerPoolOptions {
  store: RunStore;
  controller: RunController;
  /** How many runs this process works on at once. Default 16. */
  concurrency?: number;
  /** How many may be worked on in all processes together. */
  limits?: ClaimLimits;
  /** How long a claim holds without a sign of life, in milliseconds. Default 30,000. */
  leaseMs?: number;
  /** How often work of other processes is looked for, in milliseconds. Default 1000. */
  pollMs?: number;
  /**
   * What becomes of runs that a process let go of or lost: they go on by themselves, or wait as `interrupted` for
   * somebody to resume them. Default `automatic`.
   */
  resume?: ResumePolicy;
  onError(error: unknown, about: { run_id?: string }): void;
  /** Told when this process is through with a run for now, and how it stands. */
  onWorked?(record: RunRecord): void;
}

export type ResumePolicy = 'automatic' | 'explicit';

/** How long one look for work waits for further free places, in milliseconds. */
const coalesceMs = 5;
/** How long a call that was told to stop may take, in milliseconds. */
const stubbornMs = 5000;

/**
 * Works on the runs of a store: claims what is queued or was lost, keeps the claims alive, and gives them back. Several
 * pools, in one process or many, share a store.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #concurrency: number;
  readonly #leaseMs: number;
  readonly #active = new Map<string, { lease: RunLease; done: Promise<void> }>();
  readonly #resuming = new Map<string, { resume: () => Promise<void>; timer: NodeJS.Timeout }>();
  #polling: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #wanted = false;
  #stopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 16;
    this.#leaseMs = options.leaseMs ?? 30_000;
  }

  /** Ids of the runs that are worked on here. */
  get active(): readonly string[] {
    return [...this.#active.keys()];
  }

  get concurrency(): number {
    return this.#concurrency;
  }

  start(): void {
    this.#polling = setInterval(() => this.wake(), this.#options.pollMs ?? 1000);
    this.#renewing = setInterval(() => this.#renew(), this.#leaseMs / 3);
    this.wake();
  }

  /** Says that there may be work. */
  wake(): void {
    this.#wanted = true;
    if (this.#stopping || this.#polling === undefined) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#wanted && this.#free > 0) this.wake();
    });
  }

  /**
   * Takes no more work. Runs under way may end or park within the time; what is left is interrupted, stored, and, when
   * runs go on by themselves, queued again for whoever works next.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#polling);
    await this.#claiming;
    const all = Promise.all([...this.#active.values()].map(({ done }) => done));
    await within(graceMs, all);
    // A call that does not heed its signal is left behind: its run is taken over when the claim has run out.
    await within(
      stubbornMs,
      this.#options.controller.shutdown().then(() => all),
    );
    for (const { resume, timer } of [...this.#resuming.values()]) {
      clearTimeout(timer);
      await resume();
    }
    clearInterval(this.#renewing);
  }

  get #free(): number {
    return this.#stopping ? 0 : this.#concurrency - this.#active.size;
  }

  async #claim(): Promise<void> {
    const { controller, limits, resume = 'automatic', onError } = this.#options;
    const lost = resume === 'automatic' ? 'continue' : 'interrupt';
    while (this.#wanted && this.#free > 0) {
      // While others are under way, what becomes free a moment later is filled by the same look.
      if (this.#active.size > 0) await delay(coalesceMs);
      this.#wanted = false;
      let claims: RunClaim[];
      const max = this.#free;
      try {
        const request = { leaseMs: this.#leaseMs, max, ...(limits !== undefined && { limits }) };
        claims = await controller.claim(request, lost);
      } catch (error) {
        // The next look comes with the poll.
        onError(error, {});
        return;
      }
      for (const claim of claims) this.#begin(claim);
      // Fewer than asked for: there are no more.
      if (claims.length === max) this.#wanted = true;
    }
  }

  #begin(claim: RunClaim): void {
    const { run_id } = claim.lease;
    const earlier = this.#active.get(run_id);
    const done = (async () => {
      // This process had the run before and has not noticed yet that its claim ran out.
      if (earlier !== undefined) {
        this.#options.controller.abandon(run_id);
        await earlier.done;
      }
      await this.#work(claim);
    })();
    const entry = { lease: claim.lease, done };
    this.#active.set(run_id, entry);
    void done.finally(() => {
      if (this.#active.get(run_id) === entry) this.#active.delete(run_id);
      this.wake();
    });
  }

  async #work(claim: RunClaim): Promise<void> {
    const { controller, resume = 'automatic', onError, onWorked } = this.#options;
    const { run_id } = claim.lease;
    try {
      const record = await controller.work(claim);
      onWorked?.(record);
      if (resume === 'automatic' && isSetAside(record)) this.#resumeLater(run_id);
    } catch (error) {
      if (!(isLaitError(error) && error.code === 'lease_lost')) onError(error, { run_id });
      // How the run stands is not known: it is looked at again when the claim has run out.
    }
  }

  /** Whatever kept the run from going on, e.g. a full disk, gets some time to pass; at the end there is none. */
  #resumeLater(runId: string): void {
    const { controller, onError } = this.#options;
    const resume = () => {
      this.#resuming.delete(runId);
      return controller.resume(runId).then(
        () => {},
        (error: unknown) => onError(error, { run_id: runId }),
      );
    };
    this.#resuming.set(runId, { resume, timer: setTimeout(resume, this.#leaseMs).unref() });
  }

  #renew(): void {
    const { store, controller, onError } = this.#options;
    for (const [run_id, { lease }] of this.#active) {
      store.renew(lease, this.#leaseMs).then(
        (held) => {
          if (!held && this.#active.get(run_id)?.lease === lease) controller.abandon(run_id);
        },
        (error: unknown) => onError(error, { run_id }),
      );
    }
  }
}

/** Waits for the work, but no longer than this. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Interrupted by its process or its store, and by nothing that somebody must look at. */
function isSetAside({ status, questions }: RunRecord): boolean {
  return status === 'interrupted' && questions.length === 0;
}
