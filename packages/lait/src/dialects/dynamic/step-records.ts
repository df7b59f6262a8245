import type { FailureRecord, RunEvent, StepFields } from '../../engine/events.js';
import type { Plan, PlanNode } from '../../plan/plan.js';
import { jsonEqual } from '../../values/json-equal.js';
import { isObject, type JsonValue, setOwnProperty, type Value } from '../../values/value.js';
import type { CallPaths } from './call-paths.js';

export type StepStatus = 'running' | 'success' | 'failed' | 'suspended' | 'waiting' | 'canceled';

/** How an error looks in results: plain data. */
export interface SerializedError {
  message: string;
  name: string;
  code?: string;
}

/** What happened to one step. Times in milliseconds since 1970. Source: dynamic facts §6.1. */
export interface StepRecord {
  status: StepStatus;
  /** What came into the step; left out when it is the output of the step before. */
  payload?: Value;
  startedAt?: number;
  endedAt?: number;
  output?: Value;
  error?: SerializedError;
  suspendPayload?: JsonValue;
  suspendedAt?: number;
  resumePayload?: JsonValue;
  resumedAt?: number;
  metadata?: { iterationCount: number };
}

/** The steps of a run by id; `input` holds the workflow's input. */
export type StepRecords = { input?: Value } & { [id: string]: StepRecord | Value };

type StepEvent = Extract<RunEvent, { path: string }>;

/** Keeps the records of a run's steps from its events. Steps of nested workflows belong to the call. */
export class StepRecorder {
  readonly stepExecutionPath: string[] = [];
  readonly #records = new Map<string, StepRecord>();
  /** The top-level container of each path, and what its own events mean. */
  readonly #containers = new Map<string, PlanNode>();
  readonly #iterations = new Map<string, number>();
  #previous: Value;

  constructor(
    plan: Plan,
    private readonly input: Value,
    private readonly paths: CallPaths,
  ) {
    this.#previous = input;
    for (const node of plan.body.nodes) if (node.id === undefined) this.#containers.set(node.path, node);
  }

  /** All records as one object, the workflow's input first. */
  steps(): StepRecords {
    const steps: StepRecords = {};
    if (this.input !== undefined) steps.input = this.input;
    for (const [id, record] of this.#records) setOwnProperty(steps, id, record);
    return steps;
  }

  record(id: string): StepRecord | undefined {
    return this.#records.get(id);
  }

  add(event: RunEvent): void {
    if (!('path' in event)) return;
    if (event.depth > 0) {
      // A question inside a nested workflow suspends the call.
      const [call] = this.paths.callsAround(event.address);
      if (call !== undefined && event.type.startsWith('question.')) this.#apply(call, event);
      return;
    }
    const id = this.#idOf(event);
    if (id === undefined) {
      if (event.type === 'iteration.started') this.#iterations.set(event.path, event.index + 1);
      return;
    }
    this.#apply(id, event);
  }

  /** A run that was canceled leaves the step it was at as it stood. */
  #apply(id: string, event: StepEvent): void {
    const now = Date.now();
    switch (event.type) {
      case 'step.started':
        this.#start(id, event.input, event, now);
        return;
      case 'sleep.started':
        this.#update(id, { status: 'waiting' });
        return;
      case 'step.completed':
        this.#update(id, { status: 'success', output: event.value, endedAt: now });
        if (this.#isOnPath(event)) this.#previous = event.value;
        return;
      case 'step.failed':
        this.#update(id, { status: 'failed', error: serializedError(event.error), endedAt: now });
        return;
      case 'question.asked': {
        const { payload, text } = event.question;
        this.#update(id, {
          status: 'suspended',
          suspendPayload: payload ?? { question: text },
          suspendedAt: now,
        });
        return;
      }
      case 'question.answered':
        this.#update(id, { status: 'running', resumePayload: event.answer, resumedAt: now });
        return;
      default:
    }
  }

  #start(id: string, payload: Value, event: StepEvent, now: number): void {
    const isTop = this.#isOnPath(event);
    if (isTop) this.stepExecutionPath.push(id);
    const repeated =
      isTop && (payload === this.#previous || jsonEqual(payload ?? null, this.#previous ?? null));
    const iteration = this.#iterations.get(event.path.replace(/\.step$/, ''));
    this.#records.set(id, {
      ...(repeated || payload === undefined ? {} : { payload }),
      startedAt: now,
      status: 'running',
      ...(iteration === undefined ? {} : { metadata: { iterationCount: iteration } }),
    });
  }

  /** Top-level calls, mappings and sleeps are on the execution path; containers and their steps are not. */
  #isOnPath({ path }: StepFields): boolean {
    return /^graph\.\d+$/.test(path) && !this.#containers.has(path);
  }

  #update(id: string, changes: Partial<StepRecord>): void {
    const record = this.#records.get(id);
    if (record !== undefined) Object.assign(record, changes);
  }

  /** A foreach is recorded as one step under its body's id; other containers only through their steps. */
  #idOf(event: StepFields): string | undefined {
    const container = this.#containers.get(event.path);
    if (container !== undefined) return foreachBodyId(container);
    const owner = this.#containers.get(event.path.replace(/\.step$/, ''));
    return owner?.kind === 'foreach' && (event as RunEvent).type !== 'question.asked' ? undefined : event.id;
  }
}

/** The id of a foreach's body, under which its results are recorded. */
export function foreachBodyId({ kind, fields }: PlanNode): string | undefined {
  return kind === 'foreach' && isObject(fields) && typeof fields.id === 'string' ? fields.id : undefined;
}

/** The innermost reason, without the names of the steps that the failure passed. */
export function serializedError({ message, reason, code, details }: FailureRecord): SerializedError {
  const name = details?.name;
  return { message: reason ?? message, name: typeof name === 'string' ? name : 'Error', code };
}
