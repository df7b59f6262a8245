import type { Completion } from '../kinds/kind.js';
import { runLimits, type SpendingLimits } from '../plan/spending-limits.js';
import type { Value } from '../values/value.js';
import { Budget } from './budget.js';
import { CancelScope } from './cancel-scope.js';
import { deadlineError } from './deadline.js';
import { evaluateField } from './evaluate-field.js';
import type { Execution, Interpreting } from './execution.js';

/**
 * Runs a plan's body, from `startIndex` on, within what holds for the plan as a whole: its limits of spending (those of
 * a run hold for everything in it), its time, its output and outcome.
 */
export async function runWholePlan(
  execution: Execution,
  interpreter: Interpreting,
  value: Value,
  startIndex?: number,
): Promise<Completion> {
  const { plan, environment, callers } = execution;
  const { given, configured } = environment.services.limits ?? {};
  const isRoot = callers.length === 1;
  const limits = isRoot ? runLimits(given, plan.limits, configured) : plan.limits;
  const run = (within: Execution) => runInTime(within, interpreter, value, startIndex);
  return limits === undefined ? run(execution) : runLimited(limits, execution, run);
}

async function runLimited(
  limits: SpendingLimits,
  execution: Execution,
  run: (within: Execution) => Promise<Completion>,
): Promise<Completion> {
  const { plan, frame } = execution;
  const cancel = new CancelScope(execution.cancel);
  const budget = new Budget(limits, plan.id, frame);
  cancel.budget = budget;
  if (limits.max_duration !== undefined) cancel.startDeadline(limits.max_duration, () => budget.outOfTime());
  try {
    return await run({ ...execution, cancel });
  } catch (error) {
    execution.cancel.throwIfCancelled();
    throw cancel.reason ?? error;
  } finally {
    cancel.dispose();
  }
}

async function runInTime(
  execution: Execution,
  interpreter: Interpreting,
  value: Value,
  startIndex: number | undefined,
): Promise<Completion> {
  const { plan, cancel, scope, missingEffects, frame } = execution;
  if (plan.timeoutSeconds !== undefined) {
    const seconds = plan.timeoutSeconds;
    const message = `workflow '${plan.id}' exceeded its timeout of ${seconds} s`;
    cancel.startDeadline(seconds, () => deadlineError('workflow_timeout', message, frame));
  }
  const completion = await interpreter.runBlock(plan.body, value, execution, startIndex);
  cancel.throwIfCancelled();
  let result = completion.value;
  if (plan.output !== undefined) {
    scope.value = result;
    result = evaluateField('output', plan.output, scope);
  }
  const outcome = completion.outcome ?? 'success';
  return {
    value: result,
    outcome: outcome === 'success' && missingEffects.size > 0 ? 'incomplete' : outcome,
  };
}
