import { randomUUID } from 'node:crypto';
import { faultPoint } from '../engine/fault-point.js';
import type { Snapshot } from '../engine/runtime.js';
import { CancelledError } from '../errors/errors.js';
import { continueAnswer, interruptionOf } from '../kinds/interruption.js';
import type { Plan } from '../plan/plan.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { GraphRunLog } from './graph-run-log.js';
import { type CreateRunOptions, createRun } from './new-run.js';
import { type NodeRow, nodeRows } from './node-rows.js';
import { LeaseLost, PassInterruption } from './pass-interruption.js';
import { originBefore, type RerunOptions, type RunOrigin } from './rerun-origin.js';
import { callOf, limitsOf, withPause } from './run-call.js';
import { changeRun, type Decision, updateOf } from './run-changes.js';
import { maskedEvent, type RunEnvironment, runLogOf } from './run-environment.js';
import { runConflict, runNotFound } from './run-errors.js';
import { type AttentionChoice, checkAnswer, decisionAnswer, openQuestion } from './run-questions.js';
import type { RunLogEvent, RunQuestion, RunRecord } from './run-record.js';
import { snapshotBehind } from './run-snapshot.js';
import { isTerminal, isWorkedOn, type RunStatus } from './run-status.js';
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
   * Claims runs that nobody works on and takes them: those that were queued, whose process was lost, or whose cancel that
   * process had not finished. `lost` says what becomes of a lost one: it goes on, or it waits as `interrupted` for
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
   * Works on a claimed run until it has ended or waits; its claim ends with that. Throws `lease_lost` when the claim runs
   * out meanwhile, what keeps the run from being worked on now, and whatever kept the end from being stored: then the
   * claim is still there.
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
    const taken = new Set<string>();
    for (;;) {
      const limit = taken.size + 1;
      const queued = await this.#options.store.list({ statuses: ['queued'], order: 'oldest', limit });
      const next = queued.find(({ run_id }) => !taken.has(run_id));
      if (next === undefined) return;
      const { status } = await this.drive(next.run_id);
      if (status === 'queued') taken.add(next.run_id);
    }
  }

  /** Consents to everything that the run will do. */
  async approve(runId: string): Promise<RunRecord> {
    return this.#change(runId, (record) => {
      if (record.status !== 'waiting_approval') throw runConflict(record, 'does not wait for approval');
      return { change: { status: 'queued' } };
    });
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
    return this.#changeWithLog(runId, (record, log) => {
      if (record.status !== 'waiting_hitl') throw runConflict(record, 'asks nothing');
      const asked = openQuestion(record, 'hitl', address);
      const checked = checkAnswer(asked, answer);
      return {
        change: {
          ...answered(record, asked, checked, 'queued'),
          ...(pauseBehind !== undefined && { context: withPause(record.context, pauseBehind) }),
        },
        events: log.answered(asked.address, asked.question, checked),
      };
    });
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
    return this.#changeWithLog(runId, (record, log) => {
      if (record.status !== 'waiting_attention') throw runConflict(record, 'needs no decision');
      const asked = openQuestion(record, 'attention', options.address);
      if (choice === 'interrupt') {
        const payload = {
          node_id: asked.node_id ?? null,
          activation_id: asked.activation_id ?? null,
          decision: 'interrupt',
          output: null,
        };
        return {
          change: { status: 'interrupted' },
          events: [{ event_type: 'attention_interrupted', payload }],
        };
      }
      const answer = decisionAnswer(record, asked, choice, options);
      return {
        change: answered(record, asked, answer, 'queued'),
        events: log.answered(asked.address, asked.question, answer),
      };
    });
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
    const decide = (found: RunRecord): Decision => {
      if (isTerminal(found.status)) throw runConflict(found, 'has ended already');
      const working = isWorkedOn(found.status);
      const to: RunStatus = working ? 'cancelling' : 'cancelled';
      const requested = { event_type: 'run_cancel_requested', payload: { from: found.status, to } };
      return { change: { status: to, ...(to === 'cancelled' && { questions: [] }) }, events: [requested] };
    };
    const record = await this.#change(runId, decide, 'show');
    if (record.status !== 'cancelling') return record;
    this.#active.get(runId)?.abort.abort(new CancelledError());
    return record;
  }

  /** Lets an interrupted run go on. Throws `run_conflict` for every other one. */
  async resume(runId: string): Promise<RunRecord> {
    return this.#change(runId, (record) => {
      if (record.status !== 'interrupted') throw runConflict(record, 'is not interrupted');
      // Only what stopped the run by itself is answered; open decisions are asked again.
      let change: Decision['change'] = { status: 'queued' };
      for (const asked of record.questions) {
        const interruption = interruptionOf(asked.question);
        if (interruption !== undefined)
          change = answered({ ...record, ...change }, asked, continueAnswer(interruption), 'queued');
      }
      return { change: { ...change, error_summary: undefined } };
    });
  }

  /**
   * Repeats a run that has ended as a new one, from the same definition: with its inputs, others, or single ones of them
   * changed. `from` reuses what happened before that node first began. Throws `run_conflict`. Source: graph facts §7.11;
   * field report FR-43.
   */
  async rerun(runId: string, options: RerunOptions = {}): Promise<RunRecord> {
    const source = await this.read(runId);
    if (!isTerminal(source.status)) throw runConflict(source, 'has not ended');
    const plan = await this.#options.load(source);
    const { inputs = source.inputs, changedInputs, skipApproval, from } = options;
    const { state, context } = callOf(source);
    const origin = from === undefined ? { runId } : await originBefore(source, from, plan, this.#options);
    const call = {
      value: source.value,
      inputs:
        changedInputs === undefined ? inputs : { ...(isObject(inputs) ? inputs : {}), ...changedInputs },
      state,
      requestContext: context as JsonObject,
      skipApproval,
      priority: source.priority,
      limits: limitsOf(source),
      runId: options.runId,
    };
    return createRun(plan, call, this.#options, origin);
  }

  /**
   * Marks runs as interrupted that a process left behind. `isAlive` says whether another instance still works; default:
   * none does.
   */
  async recover(isAlive: (instanceId: string) => boolean = () => false): Promise<RunRecord[]> {
    const { store } = this.#options;
    const recovered: RunRecord[] = [];
    for (const found of await store.list({ statuses: ['running', 'cancelling'], order: 'oldest' })) {
      const changed = await changeRun(store, found.run_id, (record) => {
        const { status, worker_instance_id: worker } = record;
        if (!isWorkedOn(status)) return undefined;
        if (
          worker === this.#instanceId
            ? this.#active.has(record.run_id)
            : worker !== undefined && isAlive(worker)
        )
          return undefined;
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
      const closes = change.status !== undefined && isTerminal(change.status);
      return {
        change,
        events: events.map((event) => maskedEvent(event, this.#options)),
        closing: closes ? await closingEntries(record, this.#options) : [],
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

/** What becomes of a run that this worker takes. */
function taken(record: RunRecord, worker: string, lost: 'continue' | 'interrupt'): Decision | undefined {
  const { status, worker_instance_id: before, started_at = new Date().toISOString() } = record;
  if (status === 'queued') return { change: { status: 'running', worker_instance_id: worker, started_at } };
  if (status === 'running' && lost === 'interrupt')
    return {
      change: { status: 'interrupted', error_summary: 'the process that worked on the run was lost' },
    };
  if (!isWorkedOn(status)) return undefined;
  const payload = { from_worker: before ?? null, to_worker: worker };
  return { change: { worker_instance_id: worker }, events: [{ event_type: 'run_taken_over', payload }] };
}

function answered(
  record: Pick<RunRecord, 'questions' | 'answers'>,
  asked: RunQuestion,
  answer: JsonValue,
  status: RunStatus,
): Decision['change'] {
  return {
    status,
    questions: record.questions.filter(({ address }) => address !== asked.address),
    answers: { ...record.answers, [asked.address]: answer },
  };
}
