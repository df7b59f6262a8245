import { CancelledError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { ItemLog, Kind, Outcome } from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Plan, PlanCall } from '../plan/plan.js';
import type { JsonValue, Value } from '../values/value.js';
import { Breather } from './breather.js';
import { CancelScope } from './cancel-scope.js';
import type { RunEvent } from './events.js';
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
  kinds: ReadonlyMap<string, Kind>;
  runId?: string;
  /** Cancels the run; the result is then `cancelled`, once everything in it has settled. */
  signal?: AbortSignal;
  onEvent?: (event: RunEvent) => void;
  /** Answers questions at once, e.g. at a terminal. */
  answerer?: Answerer;
  /** Called with the state after each top-level step and awaited. */
  onSnapshot?: (snapshot: Snapshot, address: Address) => Promise<void>;
  /** Continues behind the snapshot's position instead of starting at the beginning. */
  from?: Snapshot;
  /** Keeps the results of single items of top-level loops, and gives back those of an earlier pass. */
  itemLog?: ItemLog;
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
  const start = plan.accept(call);
  const run = options.run ?? new MemoryRun(options);
  const interpreter = new Interpreter({
    services: options.services,
    kinds: options.kinds,
    breather: new Breather(),
    ...(options.itemLog === undefined ? {} : { itemLog: options.itemLog }),
  });
  run.executor = interpreter.executeBranch;
  const cancel = new CancelScope();
  const onAbort = () => {
    const reason: unknown = options.signal?.reason;
    cancel.cancel(isLaitError(reason) ? reason : new CancelledError({ cause: reason }));
  };
  if (options.signal?.aborted === true) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });

  const execute = async (): Promise<RunResult> => {
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
      const { value, outcome = 'success' } = await interpreter.runRootPlan(
        plan,
        start,
        run.root,
        cancel,
        options.from,
      );
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
      options.signal?.removeEventListener('abort', onAbort);
      cancel.dispose();
    }
  };

  const ended = execute();
  return {
    runId: run.runId,
    get questions() {
      return run.questions;
    },
    settled: () =>
      Promise.race([
        ended,
        run.whenIdle().then((): RunResult => {
          const { runId, questions } = run;
          run.onEvent?.({ type: 'run.parked', runId, questions });
          return { status: 'parked', runId, questions };
        }),
      ]),
    answer: (address, answer) => run.answer(address, answer),
    cancel: (reason) => cancel.cancel(reason ?? new CancelledError()),
  };
}
