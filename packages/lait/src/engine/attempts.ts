import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { Completion, Kind } from '../kinds/kind.js';
import type { PlanNode } from '../plan/plan.js';
import type { RetryPolicy } from '../plan/settings.js';
import type { Value } from '../values/value.js';
import { CancelScope } from './cancel-scope.js';
import { catchDeadline, deadlineError } from './deadline.js';
import { evaluateField } from './evaluate-field.js';
import { announces, type Execution, type Interpreting, stepFields } from './execution.js';
import { PlacedFailure, StepFailure, toFailureRecord } from './failure.js';
import { RecordedSteps } from './recorded-steps.js';
import type { Address } from './runtime.js';
import { EngineStepContext } from './step-context.js';

/** How a step's attempts ended. */
export interface AttemptsResult {
  completion: Completion;
  /** The attempt that succeeded; 0 when `on_error` gave the value. */
  attempt: number;
  effects?: readonly string[];
}

const once: RetryPolicy = { maxAttempts: 1, delaySeconds: 0, backoff: 1 };
const longestWaitSeconds = 3600;

/**
 * Runs `input` → kind → `output` as one unit, repeats it after failures, and runs `on_error` when all attempts
 * have failed. Cancellation from outside is never caught. Source: steps seed, エラー処理.
 */
export function runAttempts(
  node: PlanNode,
  value: Value,
  number: number,
  execution: Execution,
  interpreter: Interpreting,
): AttemptsResult | Promise<AttemptsResult> {
  const kind = execution.environment.kinds.get(node.kind)!;
  const defaults = kind.callsModel === true ? execution.settings.defaults : undefined;
  const retry = node.retry ?? defaults?.retry ?? once;
  const timeoutSeconds = node.timeoutSeconds ?? defaults?.timeoutSeconds;
  const isolates = retry.maxAttempts > 1 || timeoutSeconds !== undefined || node.onError !== undefined;
  if (isolates) return runRepeatedly(node, value, number, retry, timeoutSeconds, execution, interpreter);
  // Most steps: one attempt without a layer of its own, and when it is pure without a promise or a closure.
  let result: AttemptsResult | Promise<AttemptsResult>;
  try {
    result = runOnce(node, value, 1, number, execution, interpreter);
  } catch (error) {
    return fail(node, number, error, execution);
  }
  return result instanceof Promise ? orFail(result, node, number, execution) : result;
}

async function orFail(
  result: Promise<AttemptsResult>,
  node: PlanNode,
  number: number,
  execution: Execution,
): Promise<AttemptsResult> {
  try {
    return await result;
  } catch (error) {
    return fail(node, number, error, execution);
  }
}

/** The only attempt has failed: those who listen are told, and the failure is thrown. */
function fail(node: PlanNode, number: number, error: unknown, execution: Execution): never {
  const failure = failureOf(node, 1, error, execution);
  report(node, number, 1, 1, failure, 0, execution);
  throw failure;
}

async function runRepeatedly(
  node: PlanNode,
  value: Value,
  number: number,
  retry: RetryPolicy,
  timeoutSeconds: number | undefined,
  execution: Execution,
  interpreter: Interpreting,
): Promise<AttemptsResult> {
  let delaySeconds = retry.delaySeconds;
  for (let attempt = 1; ; attempt += 1) {
    const waitSeconds = Math.min(delaySeconds, longestWaitSeconds);
    let failure: unknown;
    try {
      return await runIsolated(node, value, attempt, number, timeoutSeconds, execution, interpreter);
    } catch (error) {
      failure = failureOf(node, attempt, error, execution);
    }
    const last =
      attempt >= retry.maxAttempts || (isLaitError(failure) && retry.except?.includes(failure.code) === true);
    report(node, number, attempt, retry.maxAttempts, failure, last ? 0 : waitSeconds, execution);
    if (last) {
      if (node.onError === undefined) throw failure;
      return { completion: await handle(node, value, number, failure, execution, interpreter), attempt: 0 };
    }
    if (waitSeconds > 0) {
      const address = `${attemptAddress(node, attempt, execution)}/retry`;
      const now = await execution.runtime.now(`${address}/now`);
      await execution.runtime.sleep(address, now + waitSeconds * 1000, { cancel: execution.cancel });
    }
    delaySeconds *= retry.backoff;
  }
}

/** What an attempt failed with, named; a cancel from outside is thrown on. */
function failureOf(node: PlanNode, attempt: number, error: unknown, execution: Execution): unknown {
  execution.cancel.throwIfCancelled();
  return named(node, attempt, catchDeadline(error, attemptAddress(node, attempt, execution)));
}

/** One attempt under its own deadline and on its own layer of recorded steps: a failed attempt leaves nothing. */
async function runIsolated(
  node: PlanNode,
  value: Value,
  attempt: number,
  number: number,
  timeoutSeconds: number | undefined,
  execution: Execution,
  interpreter: Interpreting,
): Promise<AttemptsResult> {
  const cancel = new CancelScope(execution.cancel);
  const steps = new RecordedSteps(execution.scope.steps);
  if (timeoutSeconds !== undefined) {
    cancel.startDeadline(timeoutSeconds, () =>
      deadlineError(
        'step_timeout',
        `attempt exceeded its timeout of ${timeoutSeconds} s`,
        attemptAddress(node, attempt, execution),
      ),
    );
  }
  try {
    const result = await runOnce(
      node,
      value,
      attempt,
      number,
      { ...execution, cancel, scope: execution.scope.derive({ steps }) },
      interpreter,
    );
    cancel.throwIfCancelled();
    steps.settle();
    return result;
  } catch (error) {
    throw cancel.reason ?? error;
  } finally {
    cancel.dispose();
  }
}

/** The address of an attempt: its deadline belongs there, and so does the wait behind it. */
function attemptAddress(node: PlanNode, attempt: number, execution: Execution): Address {
  return `${execution.frame}${node.path}@${attempt}`;
}

/** Gives its result without a promise when the kind does. */
function runOnce(
  node: PlanNode,
  value: Value,
  attempt: number,
  number: number,
  execution: Execution,
  interpreter: Interpreting,
): AttemptsResult | Promise<AttemptsResult> {
  const { scope, environment, runtime } = execution;
  const kind = environment.kinds.get(node.kind)!;
  try {
    scope.value = value;
    const input = node.input === undefined ? value : evaluateField('input', node.input, scope);
    if ((kind.effects !== 'none' || kind.tellsInput === true) && announces(node, execution)) {
      runtime.emit({ type: 'attempt.started', attempt, input, ...stepFields(node, number, execution) });
    }
    const context = new EngineStepContext(node, input, attempt, number, execution, interpreter);
    const result = kind.execute(node.fields, context);
    return result instanceof Promise
      ? finishedLater(node, kind, result, context, execution)
      : finished(node, kind, result, context, execution);
  } catch (error) {
    throw named(node, attempt, error);
  }
}

async function finishedLater(
  node: PlanNode,
  kind: Kind,
  running: Promise<Completion>,
  context: EngineStepContext,
  execution: Execution,
): Promise<AttemptsResult> {
  try {
    return finished(node, kind, await running, context, execution);
  } catch (error) {
    throw named(node, context.attempt, error);
  }
}

/** What the kind came to, after `output`. */
function finished(
  node: PlanNode,
  kind: Kind,
  completion: Completion,
  { attempt, effects }: EngineStepContext,
  { scope }: Execution,
): AttemptsResult {
  const passesThrough = completion.control !== undefined && kind.ends === undefined;
  if (node.output === undefined || passesThrough) return { completion, attempt, effects };
  scope.value = completion.value;
  return {
    completion: { ...completion, value: evaluateField('output', node.output, scope) },
    attempt,
    effects,
  };
}

/** Names the step, unless a step inside it is named already, or the run is being cancelled from outside. */
function named(node: PlanNode, attempt: number, error: unknown): unknown {
  if (error instanceof StepFailure || error instanceof PlacedFailure) return error;
  if (isLaitError(error) && error.category === 'cancelled') return error;
  return new StepFailure(node, attempt, error);
}

function report(
  node: PlanNode,
  number: number,
  attempt: number,
  maxAttempts: number,
  failure: unknown,
  waitSeconds: number,
  execution: Execution,
): void {
  const { runtime } = execution;
  if (!announces(node, execution)) return;
  const fields = stepFields(node, number, execution);
  runtime.emit({
    type: 'attempt.failed',
    attempt,
    maxAttempts,
    error: toFailureRecord(failure),
    waitSeconds,
    ...fields,
  });
}

/** Runs `on_error` on `{error, input}`; its value replaces the step's, its break or stop takes effect. */
async function handle(
  node: PlanNode,
  value: Value,
  number: number,
  failure: unknown,
  execution: Execution,
  interpreter: Interpreting,
): Promise<Completion> {
  const { runtime } = execution;
  if (runtime.listening) {
    runtime.emit({
      type: 'handler.started',
      error: toFailureRecord(failure),
      ...stepFields(node, number, execution),
    });
  }
  return interpreter.runBlock(
    node.onError!,
    { error: messageChain(failure), input: value ?? null },
    execution,
  );
}
