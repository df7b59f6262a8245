import { randomUUID } from 'node:crypto';
import { faultPoint } from '../engine/fault-point.js';
import type { Snapshot } from '../engine/runtime.js';
import { CancelledError } from '../errors/errors.js';
import type { Plan } from '../plan/plan.js';
import type { JsonValue } from '../values/value.js';
import type { GraphRunLog } from './graph-run-log.js';
import { type CreateRunOptions, createRun } from './new-run.js';
import { type NodeRow, nodeRows } from './node-rows.js';
import { LeaseLost, PassInterruption } from './pass-interruption.js';
import { callAgain, originBefore, type RerunOptions, type RunOrigin } from './rerun.js';
import { changeRun, type Decision, updateOf } from './run-changes.js';
import { answered, approved, attended, cancelRequested, resumed, taken } from './run-decisions.js';
import { maskedEvent, type RunEnvironment, runLogOf } from './run-environment.js';
import { runConflict, runNotFound } from './run-errors.js';
import type { AttentionChoice } from './run-questions.js';
import type { RunLogEvent, RunRecord } from './run-record.js';
import { snapshotBehind } from './run-snapshot.js';
import { isTerminal, isWorkedOn } from './run-status.js';
import type { ClaimRequest, RunClaim, RunFilter, RunUse } from './run-store.js';
import { closingEntries, workOnRun } from './run-worker.js';

/** How long a run that is driven here stays claimed when this process dies, in milliseconds. */
const driveLeaseMs = 30_000;

export interface RunControllerOptions extends RunEnvironment {
  /** Names this process in records. Default: a random id. */
  instanceId?: string;
}

/** A run as people look at it. */
export interface RunView {
  run: RunRecord;
  nodes: NodeRow[];
  events: RunLogEvent[];
}

/**
 * The life of runs: created, approved, worked on, parked, answered, cancelled, resumed, repeated. Every change compares
 * and sets, so of several who act at once exactly one succeeds and the others are told. Nothing that has ended is ever
 * done again. Source: graph facts §1.10, §7.6 to §7.11.
 */
export class RunController {
  readonly #options: RunControllerOptions;
  readonly #instanceId: string;
  readonly #active = new Map<string, { abort: AbortController; ended: Promise<unknown> }>();

  constructor(options: RunControllerOptions) {
    this.#options = options;
    this.#instanceId = options.instanceId ?? randomUUID();
  }

  /**
   * Records a new run: `queued`, or `waiting_approval` when a step of its plan needs a person's consent. Throws a
   * `UsageError` (code `inputs_invalid`) when the inputs do not fit. `origin`: the run that it goes back to.
   */
  async create(plan: Plan, options: CreateRunOptions = {}, origin?: RunOrigin): Promise<RunRecord> {
    return createRun(plan, options, this.#options, origin);
  }

  /** A run; as it is shown without the values that were kept out of the store. Throws `run_not_found`. */
  async read(runId: string, use?: RunUse): Promise<RunRecord> {
    const record = await this.#options.store.read(runId, use);
    if (record === undefined) throw runNotFound(runId);
    return record;
  }

  /** Runs, the newest first. */
  list(filter?: RunFilter): Promise<RunRecord[]> {
    return this.#options.store.list(filter);
  }

  /** The run with every attempt of its nodes and its log. */
  async view(runId: string, use?: RunUse): Promise<RunView> {
    const run = await this.read(runId, use);
    const events = await this.#options.store.events(runId);
    return { run, events, nodes: nodeRows(events) };
  }

  /**
   * Works on a queued run until it has ended or waits; with `takeOver` also on one whose process was lost. Does nothing
   * when another process has it. Throws `lease_lost` when this process slept for so long that another one took the run.
   */
  async drive(runId: string, { takeOver = false }: { takeOver?: boolean } = {}): Promise<RunRecord> {
    const { store } = this.#options;
    const found = await this.read(runId);
    if (found.status !== 'queued' && !(takeOver && isWorkedOn(found.status))) return found;
    const lost = takeOver ? 'continue' : 'interrupt';
    const [claim] = await this.claim({ leaseMs: driveLeaseMs, runId }, lost);
    if (claim === undefined) return this.read(runId);
    const renewing = setInterval(() => {
      store.renew(claim.lease, driveLeaseMs).then(
        (held) => {
          if (!held) this.abandon(runId);
        },
        // A store that is away for a moment: the claim holds for a while.
        () => {},
      );
    }, driveLeaseMs / 3).unref();
    try {
      return await this.work(claim);
    } catch (error) {
      await store.release(claim.lease);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** Names this process in records and claims. */
  get instanceId(): string {
    return this.#instanceId;
  }

  /**
   * Claims runs that nobody works on and takes them: those that were queued, whose process was lost, or whose cancel
   * that process had not finished. `lost` says what becomes of a lost one: it goes on, or it waits as `interrupted` for
   * somebody to resume it. The claims are the caller's to work on and to renew.
   */
  async claim(
    request: Omit<ClaimRequest, 'worker' | 'begin'>,
    lost: 'continue' | 'interrupt',
  ): Promise<RunClaim[]> {
    const worker = this.#instanceId;
    const begin = (record: RunRecord) => {
      const decision = taken(record, worker, lost);
      return decision && updateOf(record, decision);
    };
    return this.#options.store.claim({ ...request, worker, begin });
  }

  /**
   * Works on a claimed run until it has ended or waits; its claim ends with that. Throws `lease_lost` when the claim
   * runs out meanwhile, what keeps the run from being worked on now, and whatever kept the end from being stored: then
   * the claim is still there.
   */
  async work(claim: RunClaim): Promise<RunRecord> {
    const { record, problem } = claim;
    if (problem !== undefined) throw problem;
    // An earlier claim of this process that ran out must have let go of the run.
    await this.#active.get(record.run_id)?.ended;
    if (!isWorkedOn(record.status)) return record;
    faultPoint('run.after-running');
    return this.#workOn(claim);
  }

  /** Lets go of a run whose claim was lost: what is under way is stopped, and nothing more is stored. */
  abandon(runId: string): void {
    this.#active.get(runId)?.abort.abort(new LeaseLost());
  }

  /** Works on queued runs, the oldest first, until there are none but those that other processes have claimed. */
  async driveAll(): Promise<void> {
    const passed = new Set<string>();
    for (;;) {
      const limit = passed.size + 1;
      const queued = await this.#options.store.list({ statuses: ['queued'], order: 'oldest', limit });
      const next = queued.find(({ run_id }) => !passed.has(run_id));
      if (next === undefined) return;
      const { status } = await this.drive(next.run_id);
      if (status === 'queued') passed.add(next.run_id);
    }
  }

  /** Consents to everything that the run will do. */
  async approve(runId: string): Promise<RunRecord> {
    return this.#change(runId, approved);
  }

  /**
   * Answers an open question; the run goes on, or pauses behind a node of the top level. `address` names the question
   * when there are several. Throws `answer_invalid`, or `run_conflict` when nothing is asked (any more).
   */
  async answer(
    runId: string,
    answer: JsonValue,
    address?: string,
    { pauseBehind }: { pauseBehind?: number | undefined } = {},
  ): Promise<RunRecord> {
    return this.#changeWithLog(runId, (record, log) =>
      answered(record, log, answer, { address, pauseBehind }),
    );
  }

  /** How a run stood behind a node of its top level that it has finished; see `snapshotBehind`. */
  async snapshotBehind(runId: string, index: number): Promise<Snapshot | undefined> {
    const record = await this.read(runId);
    return snapshotBehind(record, index, await this.#options.load(record), this.#options);
  }

  /** Decides about a call whose outcome needs a person. Throws `run_conflict`. Source: graph facts §7.8. */
  async attention(
    runId: string,
    choice: AttentionChoice,
    options: { address?: string; output?: JsonValue; reason?: string } = {},
  ): Promise<RunRecord> {
    return this.#changeWithLog(runId, (record, log) => attended(record, log, choice, options));
  }

  /**
   * Asks for an end. A run that waits ends at once; one under way is told to stop, and the call in flight is awaited.
   * Gives the run as it is shown: ending it needs none of its values. Throws `run_conflict` when it has ended. Source:
   * graph facts §7.7.
   */
  async cancel(runId: string): Promise<RunRecord> {
    const record = await this.requestCancel(runId);
    await this.#active.get(runId)?.ended;
    return record.status === 'cancelling' ? this.read(runId, 'show') : record;
  }

  /** The same as `cancel` without waiting for the call in flight: the run is then `cancelling`. */
  async requestCancel(runId: string): Promise<RunRecord> {
    const record = await this.#change(runId, cancelRequested, 'show');
    if (record.status !== 'cancelling') return record;
    this.#active.get(runId)?.abort.abort(new CancelledError());
    return record;
  }

  /** Lets an interrupted run go on. Throws `run_conflict` for every other one. */
  async resume(runId: string): Promise<RunRecord> {
    return this.#change(runId, resumed);
  }

  /**
   * Repeats a run that has ended as a new one, from the same definition: with its inputs, others, or single ones of
   * them changed. `from` reuses what happened before that node first began. Throws `run_conflict`. Source: graph facts
   * §7.11; field report FR-43.
   */
  async rerun(runId: string, options: RerunOptions = {}): Promise<RunRecord> {
    const source = await this.read(runId);
    if (!isTerminal(source.status)) throw runConflict(source, 'has not ended');
    const plan = await this.#options.load(source);
    const { from } = options;
    const origin = from === undefined ? { runId } : await originBefore(source, from, plan, this.#options);
    return createRun(plan, callAgain(source, options), this.#options, origin);
  }

  /**
   * Marks runs as interrupted that a process left behind, without waiting until its claims run out. `isAlive` says
   * whether another instance still works; default: none does, as where a program alone uses its store.
   */
  async recover(isAlive: (instanceId: string) => boolean = () => false): Promise<RunRecord[]> {
    const { store } = this.#options;
    const recovered: RunRecord[] = [];
    for (const found of await store.list({ statuses: ['running', 'cancelling'], order: 'oldest' })) {
      const changed = await changeRun(store, found.run_id, (record) => {
        const { status, worker_instance_id: worker } = record;
        const own = worker === this.#instanceId;
        const alive = own ? this.#active.has(record.run_id) : worker !== undefined && isAlive(worker);
        if (alive || !isWorkedOn(status)) return undefined;
        const error_summary = 'the process that worked on the run has ended';
        return { change: { status: 'interrupted', error_summary } };
      });
      if (changed !== undefined) recovered.push(changed);
    }
    return recovered;
  }

  /** Interrupts the runs that this controller works on and waits until they are stored. */
  async shutdown(): Promise<void> {
    const active = [...this.#active.values()];
    for (const { abort } of active) abort.abort(new PassInterruption('the process was shut down'));
    await Promise.all(active.map(({ ended }) => ended));
  }

  async #workOn(claim: RunClaim): Promise<RunRecord> {
    const { run_id, status } = claim.record;
    const abort = new AbortController();
    if (status === 'cancelling') abort.abort(new CancelledError());
    const ended = workOnRun(claim, abort, this.#options);
    this.#active.set(run_id, { abort, ended: ended.catch(() => {}) });
    try {
      return await ended;
    } finally {
      this.#active.delete(run_id);
    }
  }

  async #change(
    runId: string,
    decide: (record: RunRecord) => Decision,
    use: RunUse = 'work',
  ): Promise<RunRecord> {
    const whole = async (record: RunRecord): Promise<Decision> => {
      const { change, events = [] } = decide(record);
      return {
        change,
        events: events.map((event) => maskedEvent(event, this.#options)),
        closing: await closingEntries(record, change.status ?? record.status, this.#options),
      };
    };
    return (await changeRun(this.#options.store, runId, whole, { use }))!;
  }

  async #changeWithLog(
    runId: string,
    decide: (record: RunRecord, log: GraphRunLog) => Decision,
  ): Promise<RunRecord> {
    const plan = await this.#options.load(await this.read(runId));
    const changed = await this.#change(runId, (record) =>
      decide(record, runLogOf(record, plan, this.#options)),
    );
    faultPoint('run.after-answered');
    return changed;
  }
}
