import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../engine/events.js';
import type { OpenQuestion } from '../engine/runtimes/memory.js';
import { CancelledError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import { continueAnswer, interruptionOf } from '../kinds/interruption.js';
import type { Kind } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Plan } from '../plan/plan.js';
import type { SecretRegistry } from '../values/secrets.js';
import { textOf } from '../values/text.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import { GraphRunLog, hitlRunId } from './graph-run-log.js';
import { NodePlaces } from './node-places.js';
import { type NodeRow, nodeRows } from './node-rows.js';
import { nodesOf } from './plan-nodes.js';
import { changeRun, type Decision } from './run-changes.js';
import { runConflict, runNotFound } from './run-errors.js';
import { executeRun, type PassResult } from './run-execution.js';
import { RunLogWriter } from './run-log-writer.js';
import {
  type AttentionChoice,
  checkAnswer,
  decisionAnswer,
  openQuestion,
  purposeOf,
} from './run-questions.js';
import type { NewRunEvent, RunLogEvent, RunQuestion, RunRecord } from './run-record.js';
import { isTerminal, type RunStatus } from './run-status.js';
import type { RunStore } from './run-store.js';

export interface RunControllerOptions {
  store: RunStore;
  kinds: ReadonlyMap<string, Kind>;
  /** Services for one pass of a run. */
  services(): Services;
  /** The plan of a run's pinned definition. */
  load(record: RunRecord): Promise<Plan>;
  /** Hides secret values in the log, summaries and errors. Values that runs work with are kept as they are. */
  secrets?: SecretRegistry;
  /** Names this process in records. Default: a random id. */
  instanceId?: string;
  /** Milliseconds between looks for a cancel from another process. Default 500. */
  pollMs?: number;
  /** Told of every engine event of the runs that this controller works on. */
  onEvent?: (runId: string, event: RunEvent) => void;
}

export interface CreateRunOptions {
  value?: Value;
  inputs?: JsonValue;
  /** The frozen "now" of date expressions, as an ISO 8601 time. Default: the time of creation. */
  referenceTime?: string;
  /** Begins without a person's consent; the log says so. Default false. */
  skipApproval?: boolean;
  /** Default: a new random id. */
  runId?: string;
}

/** A run as people look at it. */
export interface RunView {
  run: RunRecord;
  nodes: NodeRow[];
  events: RunLogEvent[];
}

/** Why a working process lets go of a run that it will not finish. */
class Shutdown extends CancelledError {
  constructor() {
    super({ code: 'interrupted', message: 'the process shuts down' });
  }
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
   * `UsageError` (code `inputs_invalid`) when the inputs do not fit.
   */
  async create(plan: Plan, options: CreateRunOptions = {}): Promise<RunRecord> {
    return this.#create(plan, options, undefined);
  }

  async read(runId: string): Promise<RunRecord> {
    const record = await this.#options.store.read(runId);
    if (record === undefined) throw runNotFound(runId);
    return record;
  }

  /** The run with every attempt of its nodes and its log. */
  async view(runId: string): Promise<RunView> {
    const run = await this.read(runId);
    const events = await this.#options.store.events(runId);
    return { run, events, nodes: nodeRows(events) };
  }

  /** Works on a queued run until it has ended or waits. Does nothing when another process has it. */
  async drive(runId: string): Promise<RunRecord> {
    const claimed = await changeRun(this.#options.store, runId, (record) => {
      if (record.status !== 'queued') return undefined;
      const started_at = record.started_at ?? new Date().toISOString();
      return { change: { status: 'running', worker_instance_id: this.#instanceId, started_at } };
    });
    if (claimed === undefined) return this.read(runId);
    const abort = new AbortController();
    const ended = this.#work(claimed, abort);
    this.#active.set(runId, { abort, ended: ended.catch(() => {}) });
    try {
      return await ended;
    } finally {
      this.#active.delete(runId);
    }
  }

  /** Works on queued runs, the oldest first, until there are none. */
  async driveAll(): Promise<void> {
    for (;;) {
      const [oldest] = await this.#options.store.list({ statuses: ['queued'], order: 'oldest', limit: 1 });
      if (oldest === undefined) return;
      await this.drive(oldest.run_id);
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
   * Answers an open question; the run goes on. `address` names the question when there are several. Throws
   * `answer_invalid`, or `run_conflict` when nothing is asked (any more).
   */
  async answer(runId: string, answer: JsonValue, address?: string): Promise<RunRecord> {
    return this.#changeWithLog(runId, (record, log) => {
      if (record.status !== 'waiting_hitl') throw runConflict(record, 'asks nothing');
      const asked = openQuestion(record, 'hitl', address);
      const checked = checkAnswer(asked, answer);
      return {
        change: answered(record, asked, checked, 'queued'),
        events: log.answered(asked.address, asked.question, checked),
      };
    });
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
   * Throws `run_conflict` when the run has ended. Source: graph facts §7.7.
   */
  async cancel(runId: string): Promise<RunRecord> {
    const record = await this.#change(runId, (found) => {
      if (isTerminal(found.status)) throw runConflict(found, 'has ended already');
      const working = found.status === 'running' || found.status === 'cancelling';
      const to: RunStatus = working ? 'cancelling' : 'cancelled';
      const requested = { event_type: 'run_cancel_requested', payload: { from: found.status, to } };
      return { change: { status: to, ...(to === 'cancelled' && { questions: [] }) }, events: [requested] };
    });
    const active = this.#active.get(runId);
    if (record.status !== 'cancelling') {
      await this.#close(record);
      return this.read(runId);
    }
    if (active === undefined) return record;
    active.abort.abort(new CancelledError());
    await active.ended;
    return this.read(runId);
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
   * Repeats a run that has ended as a new one, from the same definition: with its inputs or others. `from` reuses
   * what happened before that node first began. Throws `run_conflict`. Source: graph facts §7.11; field report FR-43.
   */
  async rerun(
    runId: string,
    options: { inputs?: JsonValue; from?: string; skipApproval?: boolean } = {},
  ): Promise<RunRecord> {
    const source = await this.read(runId);
    if (!isTerminal(source.status)) throw runConflict(source, 'has not ended');
    const plan = await this.#options.load(source);
    const { inputs = source.inputs, skipApproval } = options;
    return this.#create(plan, { value: source.value, inputs, skipApproval }, source);
  }

  /**
   * Marks runs as interrupted that a process left behind. `isAlive` says whether an instance still works; default:
   * only this one does.
   */
  async recover(
    isAlive: (instanceId: string) => boolean = (id) => id === this.#instanceId,
  ): Promise<RunRecord[]> {
    const { store } = this.#options;
    const recovered: RunRecord[] = [];
    for (const found of await store.list({ statuses: ['running', 'cancelling'], order: 'oldest' })) {
      if (this.#active.has(found.run_id)) continue;
      const changed = await changeRun(store, found.run_id, (record) => {
        const working = record.status === 'running' || record.status === 'cancelling';
        if (
          !working ||
          (record.worker_instance_id !== undefined &&
            isAlive(record.worker_instance_id) &&
            !this.#isOwn(record))
        )
          return undefined;
        return {
          change: { status: 'interrupted', error_summary: 'the process that worked on the run has ended' },
        };
      });
      if (changed !== undefined) recovered.push(changed);
    }
    return recovered;
  }

  /** Interrupts the runs that this controller works on and waits until they are stored. */
  async shutdown(): Promise<void> {
    const active = [...this.#active.values()];
    for (const { abort } of active) abort.abort(new Shutdown());
    await Promise.all(active.map(({ ended }) => ended));
  }

  #isOwn(record: RunRecord): boolean {
    return record.worker_instance_id === this.#instanceId;
  }

  async #create(plan: Plan, options: CreateRunOptions, source: RunRecord | undefined): Promise<RunRecord> {
    const { value, inputs = {}, skipApproval = false } = options;
    const now = new Date().toISOString();
    const context = { reference_time: options.referenceTime ?? now };
    // Refuses what does not fit before anything is stored.
    const { context: accepted } = plan.accept({ value, inputs, context });
    const needed = this.#needsApproval(plan);
    const status: RunStatus = needed && !skipApproval ? 'waiting_approval' : 'queued';
    const record: RunRecord = {
      run_id: options.runId ?? `wrun_${randomUUID().replaceAll('-', '')}`,
      definition: {
        form: plan.form,
        id: plan.id,
        origin: plan.origin,
        ...(plan.directory !== undefined && { directory: plan.directory }),
        sources: plan.sources,
      },
      status,
      revision: 1,
      ...(value !== undefined && { value }),
      inputs,
      context: { ...context, reference_time: accepted.reference_time ?? context.reference_time },
      ...(source !== undefined && { source_run_id: source.run_id }),
      questions: [],
      answers: {},
      created_at: now,
      updated_at: now,
    };
    const events: NewRunEvent[] = [
      { event_type: 'run_created', payload: { status, workflow: plan.id } },
      { event_type: 'run_input_submitted', payload: { inputs } },
    ];
    if (source !== undefined)
      events.push({ event_type: 'run_rerun_created', payload: { source_run_id: source.run_id } });
    if (needed && skipApproval)
      events.push({ event_type: 'run_approval_skipped', payload: { reason: 'the caller asked for it' } });
    await this.#options.store.create(record, events.map(this.#mask));
    return record;
  }

  #needsApproval(plan: Plan): boolean {
    const services = this.#options.services();
    for (const { node, kind } of nodesOf(plan, this.#options.kinds)) {
      if (kind?.needsApproval?.(node.fields, services) === true) return true;
    }
    return false;
  }

  async #work(claimed: RunRecord, abort: AbortController): Promise<RunRecord> {
    const { store, pollMs = 500 } = this.#options;
    const { run_id: runId } = claimed;
    const looking = setInterval(() => {
      store.read(runId).then(
        (record) => {
          if (record?.status === 'cancelling') abort.abort(new CancelledError());
        },
        () => {},
      );
    }, pollMs).unref();
    try {
      return await this.#pass(claimed, abort.signal);
    } catch (error) {
      // What cannot even be loaded or stored fails the run instead of leaving it behind as running.
      return await this.#end(
        claimed,
        undefined,
        { status: 'failed', error_summary: messageChain(error) },
        [],
      );
    } finally {
      clearInterval(looking);
    }
  }

  async #pass(claimed: RunRecord, signal: AbortSignal): Promise<RunRecord> {
    const { store, kinds, services, load, onEvent } = this.#options;
    const { run_id: runId } = claimed;
    const plan = await load(claimed);
    const log = this.#logOf(claimed, plan);
    const writer = new RunLogWriter(store, runId, this.#mask);
    writer.add([{ event_type: 'run_started', payload: { entry_node_id: entryOf(plan) } }]);
    const execute = (until: AbortSignal) =>
      executeRun({
        store,
        plan,
        services: services(),
        record: claimed,
        signal: until,
        onEvent: (event) => {
          writer.add(log.entriesOf(event));
          onEvent?.(runId, event);
        },
      });
    let result: PassResult = await execute(signal);
    // The next pass takes everything from the record and stops at the call that must be judged.
    if (result.status === 'uncertain') result = await execute(new AbortController().signal);
    const questions =
      result.status === 'parked' ? result.questions.map((open) => this.#question(open, log, runId)) : [];
    for (const { address, question } of questions) writer.add(log.asked(address, question));
    await writer.flush();
    void kinds;
    return this.#end(claimed, plan, outcomeOf(result, questions, signal), questions);
  }

  /** Stores how a pass ended; a cancel that came meanwhile decides what that means. */
  async #end(
    claimed: RunRecord,
    plan: Plan | undefined,
    outcome: Decision['change'] & { status: RunStatus },
    questions: readonly RunQuestion[],
  ): Promise<RunRecord> {
    const change = this.#maskedChange({ ...outcome, questions });
    const ended = await this.#change(claimed.run_id, (record) => {
      if (record.status !== 'cancelling') return { change };
      const kept: readonly RunStatus[] = ['failed', 'interrupted', 'waiting_attention'];
      return {
        change: kept.includes(outcome.status) ? change : { ...change, status: 'cancelled', questions: [] },
      };
    });
    if (isTerminal(ended.status)) await this.#close(ended, plan);
    return ended;
  }

  /** Rows of a run that has ended: what was under way is cancelled, what was never visited is skipped. */
  async #close(record: RunRecord, loaded?: Plan): Promise<void> {
    const { store, kinds, load } = this.#options;
    if (record.definition.form !== 'graph') return;
    const plan = loaded ?? (await load(record).catch(() => undefined));
    const rows = nodeRows(await store.events(record.run_id));
    const events: NewRunEvent[] = [];
    for (const { node_id, activation_id, attempt, status } of rows) {
      if (!['running', 'waiting_hitl', 'needs_attention'].includes(status)) continue;
      const payload = { node_id, activation_id, child_kind: null, child_run_id: null };
      events.push({ event_type: 'node_cancelled', payload, key: `ended ${activation_id} ${attempt}` });
    }
    const visited = new Set(rows.map(({ node_id }) => node_id));
    for (const { node } of plan === undefined ? [] : nodesOf(plan, kinds)) {
      if (node.id === undefined || visited.has(node.id)) continue;
      events.push({ event_type: 'node_skipped', payload: { node_id: node.id }, key: `skipped ${node.id}` });
    }
    await store.append(record.run_id, events);
  }

  #question({ address, question }: OpenQuestion, log: GraphRunLog, runId: string): RunQuestion {
    const place = log.places.at(address);
    const id = purposeOf(question) === 'hitl' ? { hitl_run_id: hitlRunId(runId, address) } : {};
    return {
      address,
      question,
      ...(place !== undefined && { node_id: place.node_id, activation_id: place.activation_id }),
      ...id,
    };
  }

  #logOf(record: RunRecord, plan: Plan): GraphRunLog {
    return new GraphRunLog(new NodePlaces(record.run_id, plan, this.#options.kinds, record.answers));
  }

  async #change(runId: string, decide: (record: RunRecord) => Decision): Promise<RunRecord> {
    return (await changeRun(this.#options.store, runId, (record) => {
      const { change, events = [] } = decide(record);
      return { change, events: events.map(this.#mask) };
    }))!;
  }

  async #changeWithLog(
    runId: string,
    decide: (record: RunRecord, log: GraphRunLog) => Decision,
  ): Promise<RunRecord> {
    const plan = await this.#options.load(await this.read(runId));
    return this.#change(runId, (record) => decide(record, this.#logOf(record, plan)));
  }

  readonly #mask = (event: NewRunEvent): NewRunEvent => {
    const { secrets } = this.#options;
    return secrets === undefined
      ? event
      : { ...event, payload: secrets.maskValue(event.payload as JsonValue) as JsonObject };
  };

  #maskedChange<T extends Decision['change']>(change: T): T {
    const { secrets } = this.#options;
    if (secrets === undefined) return change;
    const { result_summary, error_summary } = change;
    return {
      ...change,
      ...(result_summary !== undefined && { result_summary: secrets.mask(result_summary) }),
      ...(error_summary !== undefined && { error_summary: secrets.mask(error_summary) }),
    };
  }
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

function entryOf({ body }: Plan): string | null {
  return body.nodes[body.entry ?? 0]?.id ?? null;
}

/** What a pass's end means for the run. Source: graph facts §7.5. */
function outcomeOf(
  result: PassResult,
  questions: readonly RunQuestion[],
  signal: AbortSignal,
): Decision['change'] & { status: RunStatus } {
  switch (result.status) {
    case 'completed': {
      const summary = { result: result.value ?? null, result_summary: summaryOf(result.value) };
      if (result.outcome === 'failure')
        return { status: 'failed', ...summary, error_summary: 'the run ended at a failure terminal' };
      return { status: result.outcome === 'incomplete' ? 'incomplete' : 'completed', ...summary };
    }
    case 'failed':
      return { status: 'failed', error_summary: messageChain(result.error) };
    case 'parked':
      return parkedAs(questions);
    default: {
      const reason: unknown = signal.reason;
      const interrupted = isLaitError(reason) && reason.code === 'interrupted';
      return interrupted
        ? { status: 'interrupted', error_summary: 'the process was shut down' }
        : { status: 'cancelled' };
    }
  }
}

function parkedAs(questions: readonly RunQuestion[]): Decision['change'] & { status: RunStatus } {
  const purposes = questions.map(({ question }) => purposeOf(question));
  if (purposes.includes('cancellation')) return { status: 'cancelled' };
  if (purposes.includes('attention')) return { status: 'waiting_attention' };
  const interruption = questions.find(({ question }) => purposeOf(question) === 'interruption');
  return interruption === undefined
    ? { status: 'waiting_hitl' }
    : { status: 'interrupted', error_summary: interruption.question.text };
}

function summaryOf(value: Value): string {
  const characters = [...textOf(value).slice(0, 1000)];
  return characters.length > 200 ? `${characters.slice(0, 199).join('')}…` : characters.join('');
}
