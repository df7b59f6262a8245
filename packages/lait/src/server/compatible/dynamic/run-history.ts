import { CallPaths } from '../../../dialects/dynamic/call-paths.js';
import { type OpenStep, sortOpenSteps, suspensionOf } from '../../../dialects/dynamic/open-steps.js';
import {
  type SerializedError,
  type StepRecord,
  StepRecorder,
  type StepRecords,
  serializedError,
} from '../../../dialects/dynamic/step-records.js';
import { type StreamEvent, StreamEvents } from '../../../dialects/dynamic/stream-events.js';
import type { RunEvent } from '../../../engine/events.js';
import type { Plan } from '../../../plan/plan.js';
import { callOf } from '../../../runs/run-call.js';
import { purposeOf } from '../../../runs/run-questions.js';
import type { RunLogEvent, RunRecord } from '../../../runs/run-record.js';
import { isParked, isTerminal, type RunStatus } from '../../../runs/run-status.js';
import { isObject, type JsonObject, ownProperty, type Value } from '../../../values/value.js';
import type { DynamicRun } from './dynamic-run.js';
import { engineEventOf } from './engine-log.js';
import { pastEntryType } from './past-steps.js';

/** How clients of the dynamic form call where a run stands. Source: dynamic facts §6.1, §7. */
export type DynamicRunStatus =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'suspended'
  | 'paused'
  | 'success'
  | 'failed'
  | 'canceled';

const statuses: Readonly<Record<RunStatus, DynamicRunStatus>> = {
  queued: 'pending',
  running: 'running',
  cancelling: 'running',
  waiting_approval: 'suspended',
  waiting_hitl: 'suspended',
  waiting_attention: 'suspended',
  interrupted: 'paused',
  completed: 'success',
  incomplete: 'success',
  failed: 'failed',
  cancelled: 'canceled',
};

/** The statuses that a client means by one of its own; none for what runs never are here. */
export function runStatusesOf(status: string): RunStatus[] {
  const wanted = status === 'waiting' ? 'running' : status;
  return (Object.keys(statuses) as RunStatus[]).filter((own) => statuses[own] === wanted);
}

/** What happened in a run, told in the words of the dynamic form from its log. */
export class RunHistory {
  readonly #plan: Plan;
  readonly #recorder: StepRecorder;
  readonly #paths = new CallPaths();
  readonly #stream: StreamEvents;
  readonly #addresses = new Map<string, string>();
  /** Steps that a cancel reached: they have failed only if the run has. */
  #cancelled: { event: RunEvent; at: number }[] = [];
  #sent: StreamEvent[] = [];
  #error: SerializedError | undefined;

  readonly #completed = new Set<string>();

  constructor(plan: Plan, { id, record }: DynamicRun) {
    this.#plan = plan;
    this.#recorder = new StepRecorder(plan, acceptedInput(plan, record), this.#paths);
    this.#stream = new StreamEvents(plan, id, (event) => this.#sent.push(event));
  }

  /** Takes the next log entry; gives what a stream tells about it. `record`: the run at the time or later. */
  add(entry: RunLogEvent, record: RunRecord): StreamEvent[] {
    const told = engineEventOf(entry);
    if (told !== undefined) this.#engine(told.event, told.at);
    else if (entry.event_type === pastEntryType) this.#restore(entry.payload);
    else if (entry.event_type === 'run_started') this.#tell({ type: 'run.started' }, entry);
    else if (entry.event_type === 'run_status_changed')
      this.#status(entry.payload.status as RunStatus, entry, record);
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  /** What a stream tells about something that no log keeps, e.g. a token. */
  live(event: RunEvent): StreamEvent[] {
    this.#stream.add(event);
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  /** Whether the step of an address has begun, as far as entries were added. */
  hasStarted(address: string): boolean {
    return this.#addresses.has(address);
  }

  get stepExecutionPath(): readonly string[] {
    return this.#recorder.stepExecutionPath;
  }

  /** Whether an entry of the graph has come to its end, in this run or before it. */
  hasCompleted(path: string): boolean {
    return this.#completed.has(path);
  }

  get error(): SerializedError | undefined {
    return this.#error;
  }

  get plan(): Plan {
    return this.#plan;
  }

  steps(): StepRecords {
    return this.#recorder.steps();
  }

  status({ status, started_at }: RunRecord): DynamicRunStatus {
    if (status === 'queued' && started_at !== undefined) return 'running';
    if (status === 'running' && this.#isAsleep()) return 'waiting';
    return statuses[status];
  }

  /** The steps that wait to be resumed. */
  openSteps({ questions }: RunRecord): OpenStep[] {
    const asked = questions.filter(({ question }) => purposeOf(question) === 'hitl');
    const open = asked.map(({ address, question, node_id }) => ({
      address,
      question,
      path: this.#paths.of(address) ?? [node_id ?? address],
    }));
    return sortOpenSteps(open, Object.keys(this.steps()));
  }

  #restore({ steps, completed }: JsonObject): void {
    this.#recorder.restore(steps as unknown as { [id: string]: StepRecord });
    for (const path of completed as string[]) this.#completed.add(path);
  }

  #engine(event: RunEvent, at: number): void {
    if (event.type === 'run.failed') {
      this.#error = serializedError(event.error);
      for (const step of this.#cancelled) this.#step(step.event, step.at);
      return;
    }
    if (event.type === 'step.failed' && event.error.category === 'cancelled')
      this.#cancelled.push({ event, at });
    else this.#step(event, at);
  }

  #step(event: RunEvent, at: number): void {
    if (event.type === 'step.completed' && event.depth === 0) this.#completed.add(event.path);
    if (event.type === 'step.started') this.#addresses.set(event.address, event.id ?? event.label);
    this.#paths.add(event);
    this.#recorder.add(event, at);
    this.#stream.add(event, at);
  }

  /** How a run ends or waits is known when it is stored, and not before. */
  #status(status: RunStatus, entry: RunLogEvent, record: RunRecord): void {
    this.#cancelled = [];
    if (status === 'failed') this.#tell({ type: 'run.failed' }, entry);
    else if (status === 'cancelled') this.#tell({ type: 'run.cancelled' }, entry);
    else if (isTerminal(status)) this.#tell({ type: 'run.completed', value: record.result }, entry);
    else if (status === 'interrupted') this.#stream.pause(Date.parse(entry.created_at));
    else if (isParked(status)) this.#tell({ type: 'run.parked', questions: [] }, entry);
  }

  #tell(event: { type: string; [name: string]: unknown }, { run_id, created_at }: RunLogEvent): void {
    this.#stream.add({ ...event, runId: run_id } as unknown as RunEvent, Date.parse(created_at));
  }

  #isAsleep(): boolean {
    const records = Object.entries(this.steps()).filter(([id]) => id !== 'input');
    const active = records.map(([, record]) => (record as StepRecord).status);
    return active.includes('waiting') && !active.includes('running');
  }
}

/** The result object of a run. Source: dynamic facts §6.1. */
export function resultOf(history: RunHistory, { id, record }: DynamicRun): Record<string, unknown> {
  const status = history.status(record);
  const base = {
    status,
    steps: history.steps(),
    input: record.value,
    stepExecutionPath: history.stepExecutionPath,
    runId: id,
  };
  switch (status) {
    case 'success':
      return { ...base, result: record.result };
    case 'failed':
      return { ...base, error: errorOf(history, record) };
    case 'suspended':
      return { ...base, ...suspensionOf(history.openSteps(record)) };
    default:
      return base;
  }
}

export function errorOf(history: RunHistory, record: RunRecord): SerializedError {
  return history.error ?? { message: record.error_summary ?? 'the run failed', name: 'Error' };
}

/** The input as the run sees it: checked and stripped. */
function acceptedInput(plan: Plan, record: RunRecord): Value {
  try {
    const { value } = plan.accept(callOf(record));
    return value;
  } catch {
    // Names stand for secrets in what is shown: they may not fit what the secrets fitted.
    return record.value;
  }
}

/** The workflow's shared state at the start, as it was given. */
export function initialStateOf({ context }: RunRecord): Value {
  const state = ownProperty(context, 'initial_state');
  return isObject(state) ? state : undefined;
}
