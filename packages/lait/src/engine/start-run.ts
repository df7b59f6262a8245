import { CancelledError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { ConversationLog, ItemLog, Kinds, Outcome } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Plan, PlanCall, PlanStart } from '../plan/plan.js';
import type { JsonValue, Value } from '../values/value.js';
import { Breather } from './breather.js';
import { CancelScope } from './cancel-scope.js';
import type { ModelRespondedEvent, RunEvent } from './events.js';
import { toFailureRecord } from './failure.js';
import { Interpreter } from './interpreter.js';
import type { Address, Snapshot } from './runtime.js';
import { type Answerer, MemoryRun, type OpenQuestion } from './runtimes/memory.js';

/** How a run stands when it can go no further by itself. */
export type RunResult =
  | { status: 'completed'; runId: string; value: Value; outcome: Outcome }
  | { status: 'failed'; runId: string; error: Error }
  | { status: 'cancelled'; runId: string; error: Error }
  | { status: 'parked'; runId: string; questions: readonly OpenQuestion[] };

export interface StartRunOptions {
  services: Services;
  kinds: Kinds;
  runId?: string;
  /** Cancels the run; the result is then `cancelled`, once everything in it has settled. */
  signal?: AbortSignal;
  onEvent?: (event: RunEvent) => void;
  /** Told of each answer of a model. Without `onEvent` no other event is made. */
  onModelResponded?: (event: ModelRespondedEvent) => void;
  /** Answers questions at once, e.g. at a terminal. */
  answerer?: Answerer;
  /** Called with the state after each top-level step and awaited. */
  onSnapshot?: (snapshot: Snapshot, address: Address) => Promise<void>;
  /** Continues behind the snapshot's position instead of starting at the beginning. */
  from?: Snapshot;
  /** Keeps the results of single items of top-level loops, and gives back those of an earlier pass. */
  itemLog?: ItemLog;
  /** Keeps the conversations that steps of the top level had to stop, and gives back that of an earlier run. */
  conversationLog?: ConversationLog;
  /** The run to work in; default a new one in memory. */
  run?: MemoryRun;
}

/** A run under way. */
export interface RunHandle {
  readonly runId: string;
  /** Resolves when the run has ended, or when it can only go on after an answer. Ask again after answering. */
  settled(): Promise<RunResult>;
  readonly questions: readonly OpenQuestion[];
  /** Answers an open question; the run goes on. */
  answer(address: Address, answer: JsonValue): void;
  cancel(reason?: Error): void;
}

/** Starts a plan. Throws a `UsageError` at once when the call does not fit the plan's declaration. */
export function startRun(plan: Plan, call: PlanCall, options: StartRunOptions): RunHandle {
  return new StartedRun(plan, plan.accept(call), options);
}

class StartedRun implements RunHandle {
  readonly runId: string;
  readonly #plan: Plan;
  readonly #run: MemoryRun;
  readonly #cancel = new CancelScope();
  readonly #signal: AbortSignal | undefined;
  readonly #ended: Promise<RunResult>;

  constructor(plan: Plan, start: PlanStart, options: StartRunOptions) {
    const { services, kinds, itemLog, conversationLog, signal, run = new MemoryRun(options) } = options;
    this.runId = run.runId;
    this.#plan = plan;
    this.#run = run;
    this.#signal = signal;
    const interpreter = new Interpreter({
      services,
      kinds,
      breather: new Breather(),
      itemLog,
      conversationLog,
    });
    run.executor = interpreter.executeBranch;
    if (signal?.aborted === true) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#ended = this.#execute(interpreter, start, options.from);
  }

  get questions(): readonly OpenQuestion[] {
    return this.#run.questions;
  }

  settled(): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      this.#run.onIdle(() => {
        const { runId, questions } = this.#run;
        this.#run.onEvent?.({ type: 'run.parked', runId, questions });
        resolve({ status: 'parked', runId, questions });
      });
      this.#ended.then(resolve, reject);
    });
  }

  answer(address: Address, answer: JsonValue): void {
    this.#run.answer(address, answer);
  }

  cancel(reason?: Error): void {
    this.#cancel.cancel(reason ?? new CancelledError());
  }

  readonly #onAbort = () => {
    const reason: unknown = this.#signal?.reason;
    this.#cancel.cancel(isLaitError(reason) ? reason : new CancelledError({ cause: reason }));
  };

  async #execute(interpreter: Interpreter, start: PlanStart, from?: Snapshot): Promise<RunResult> {
    const run = this.#run;
    const plan = this.#plan;
    const cancel = this.#cancel;
    const { runId } = run;
    run.activity.enter();
    run.onEvent?.({
      type: 'run.started',
      runId,
      workflow: plan.id,
      form: plan.form,
      name: plan.name,
      description: plan.description,
    });
    try {
      const completion = await interpreter.runRootPlan(plan, start, run.root, cancel, from);
      const { value, outcome = 'success' } = completion;
      run.onEvent?.({ type: 'run.completed', runId, value, outcome });
      return { status: 'completed', runId, value, outcome };
    } catch (thrown) {
      const reason: unknown = cancel.reason ?? thrown;
      const error = reason instanceof Error ? reason : new Error(String(reason));
      const cancelled =
        cancel.cancelled && isLaitError(cancel.reason) && cancel.reason.category === 'cancelled';
      if (cancelled) run.onEvent?.({ type: 'run.cancelled', runId });
      else run.onEvent?.({ type: 'run.failed', runId, error: toFailureRecord(error) });
      return { status: cancelled ? 'cancelled' : 'failed', runId, error };
    } finally {
      this.#signal?.removeEventListener('abort', this.#onAbort);
      cancel.dispose();
    }
  }
}
