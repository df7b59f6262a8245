import type { RunEvent } from '../../engine/events.js';
import { toFailureRecord } from '../../engine/failure.js';
import type { OpenQuestion } from '../../engine/runtimes/memory.js';
import type { RunHandle, RunResult } from '../../engine/start-run.js';
import { LaitError } from '../../errors/lait-error.js';
import type { Services } from '../../kinds/services.js';
import type { Plan, PlanCall } from '../../plan/plan.js';
import type { RunPlanOptions } from '../../run-plan.js';
import { copyProgramValue } from '../../values/program-value.js';
import type { JsonObject, JsonValue, Value } from '../../values/value.js';
import { CallPaths } from './call-paths.js';
import { chooseOpenStep, type OpenStep, type StepChoice, sortOpenSteps, suspensionOf } from './open-steps.js';
import { type SerializedError, StepRecorder, type StepRecords, serializedError } from './step-records.js';
import { type StreamEvent, StreamEvents } from './stream-events.js';

export type StartPlan = (plan: Plan, call: PlanCall, options: RunPlanOptions) => RunHandle;

export interface StartOptions {
  inputData?: unknown;
  /** The shared state at the start. Default `{}`. */
  initialState?: Readonly<Record<string, unknown>> | null;
  /** Values that travel along: a plain object, a Map, or anything with `entries()`. Flat keys. */
  requestContext?: Readonly<Record<string, unknown>> | Iterable<readonly [string, unknown]> | EntriesLike;
  signal?: AbortSignal;
  /** Told of the engine's own events. */
  onEvent?: (event: RunEvent) => void;
}

interface EntriesLike {
  entries(): Iterable<readonly [string, unknown]>;
}

export interface ResumeOptions extends StepChoice {
  resumeData?: unknown;
}

interface ResultBase {
  runId: string;
  steps: StepRecords;
  input: Value;
  stepExecutionPath: readonly string[];
}

/** How a run stands. Source: dynamic facts §6.1. */
export type DynamicRunResult = ResultBase & DynamicRunOutcome;

export type DynamicRunOutcome =
  | { status: 'success'; result: Value }
  | { status: 'failed'; error: SerializedError }
  | { status: 'suspended'; suspended: string[][]; suspendPayload: JsonObject }
  | { status: 'canceled' };

/** The result while it is observed event by event. */
export interface DynamicRunStream extends AsyncIterable<StreamEvent> {
  readonly fullStream: AsyncIterable<StreamEvent>;
  readonly result: Promise<DynamicRunResult>;
  readonly status: DynamicRunResult['status'] | 'running';
}

export interface DynamicRunOptions {
  plan: Plan;
  runId: string;
  services(): Services;
  startPlan: StartPlan;
}

interface Current {
  handle: RunHandle;
  recorder: StepRecorder;
  paths: CallPaths;
  input: Value;
}

/** One run of a dynamic workflow. It may be started again when it has ended. */
export class DynamicRun {
  readonly runId: string;
  readonly #options: DynamicRunOptions;
  #current: Current | undefined;
  readonly #observers = new Set<(event: RunEvent) => void>();

  constructor(options: DynamicRunOptions) {
    this.#options = options;
    this.runId = options.runId;
  }

  /**
   * Runs until the workflow has ended or waits to be resumed. Rejects with a `UsageError` when input, state or request
   * context do not fit their schemas; a failing step gives a result with status `failed`.
   */
  async start(options: StartOptions = {}): Promise<DynamicRunResult> {
    return this.#settle(this.#begin(options));
  }

  /** The same as `start`, with everything that happens as it happens. Wrong input ends the stream as failed. */
  stream(options: StartOptions = {}): DynamicRunStream {
    const queue = new EventQueue();
    const events = new StreamEvents(this.#options.plan, this.runId, (event) => queue.push(event));
    let status: DynamicRunStream['status'] = 'running';
    const observe = (event: RunEvent) => events.add(event);
    this.#observers.add(observe);
    const run = async (): Promise<DynamicRunResult> => {
      try {
        const result = await this.#settle(this.#begin(options));
        status = result.status;
        return result;
      } catch (error) {
        status = 'failed';
        const record = toFailureRecord(error);
        events.refuse(record.message);
        const input = options.inputData as Value;
        return {
          runId: this.runId,
          status,
          error: serializedError(record),
          steps: {},
          input,
          stepExecutionPath: [],
        };
      } finally {
        this.#observers.delete(observe);
        queue.end();
      }
    };
    const result = run();
    return {
      fullStream: queue,
      result,
      get status() {
        return status;
      },
      [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
    };
  }

  /**
   * Answers a suspended step and goes on until the run has ended or waits again. Throws a `LaitError`
   * (`run_not_suspended`, `step_not_suspended`) when there is nothing to resume.
   */
  async resume({ step, resumeData, forEachIndex }: ResumeOptions = {}): Promise<DynamicRunResult> {
    const current = this.#current;
    const waiting = current?.handle.questions ?? [];
    if (current === undefined)
      throw new LaitError({
        code: 'run_not_suspended',
        message: `run '${this.runId}' has no suspended step`,
      });
    const open = openSteps(waiting, current.paths, current.recorder.steps());
    const target = chooseOpenStep(open, { step, forEachIndex }, this.runId);
    current.handle.answer(target.address, (copyProgramValue(resumeData) ?? null) as JsonValue);
    return this.#settle(current);
  }

  /** Cancels the run; it has ended when everything in it has settled. */
  async cancel(): Promise<void> {
    const current = this.#current;
    if (current === undefined) return;
    current.handle.cancel();
    await current.handle.settled();
  }

  #begin({ inputData, initialState, requestContext, signal, onEvent }: StartOptions): Current {
    const { plan, services, startPlan } = this.#options;
    const input = copyProgramValue(inputData);
    let recorder: StepRecorder | undefined;
    const paths = new CallPaths();
    const call: PlanCall = {
      value: input,
      state: (copyProgramValue(initialState ?? {}) ?? {}) as JsonObject,
      context: copyProgramValue(contextOf(requestContext)) as JsonObject,
    };
    const accepted: Plan = {
      ...plan,
      accept: (given) => {
        const start = plan.accept(given);
        recorder = new StepRecorder(plan, start.value, paths);
        return start;
      },
    };
    const handle = startPlan(accepted, call, {
      services: services(),
      runId: this.runId,
      ...(signal === undefined ? {} : { signal }),
      onEvent: (event) => {
        paths.add(event);
        recorder?.add(event);
        for (const observe of this.#observers) observe(event);
        onEvent?.(event);
      },
    });
    this.#current = { handle, recorder: recorder!, paths, input };
    return this.#current;
  }

  async #settle({ handle, recorder, paths, input }: Current): Promise<DynamicRunResult> {
    const result = await handle.settled();
    const { stepExecutionPath } = recorder;
    const base: ResultBase = { runId: this.runId, steps: recorder.steps(), input, stepExecutionPath };
    return { ...base, ...outcomeOf(result, paths, base.steps) };
  }
}

function outcomeOf(result: RunResult, paths: CallPaths, steps: StepRecords): DynamicRunOutcome {
  switch (result.status) {
    case 'completed':
      return { status: 'success', result: result.value };
    case 'failed':
      return { status: 'failed', error: serializedError(toFailureRecord(result.error)) };
    case 'cancelled':
      return { status: 'canceled' };
    case 'parked':
      return { status: 'suspended', ...suspensionOf(openSteps(result.questions, paths, steps)) };
  }
}

function openSteps(questions: readonly OpenQuestion[], paths: CallPaths, steps: StepRecords): OpenStep[] {
  const open = questions.map(({ address, question }) => ({
    address,
    question,
    path: paths.of(address) ?? [address],
  }));
  return sortOpenSteps(open, Object.keys(steps));
}

function contextOf(context: StartOptions['requestContext']): Record<string, unknown> {
  if (context === undefined || context === null) return {};
  const iterable = context as Partial<EntriesLike> & Partial<Iterable<readonly [string, unknown]>>;
  const entries =
    typeof iterable.entries === 'function'
      ? iterable.entries()
      : typeof iterable[Symbol.iterator] === 'function'
        ? (iterable as Iterable<readonly [string, unknown]>)
        : Object.entries(context);
  return Object.fromEntries(entries);
}

/** Hands events on to whoever reads them, now or later. */
class EventQueue implements AsyncIterable<StreamEvent> {
  readonly #events: StreamEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #ended = false;

  push(event: StreamEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    for (let index = 0; ; index += 1) {
      while (index >= this.#events.length) {
        if (this.#ended) return;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      yield this.#events[index]!;
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
