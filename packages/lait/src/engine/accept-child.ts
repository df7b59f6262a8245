import { DefinitionError, StepError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { Plan, PlanCall, PlanStart } from '../plan/plan.js';
import { refusedIn } from '../plan/refused-in.js';
import type { Execution } from './execution.js';

/**
 * The start of a child that a step calls: it shares the caller's state and context. Throws a `DefinitionError` (code
 * `placement`) when its steps may not run here, and a `StepError` when it does not take the inputs: that is a failure
 * of the calling step, not of the command line.
 */
export function acceptChild(plan: Plan, call: PlanCall, caller: Execution): PlanStart {
  refuseInUnit(plan, caller);
  const { state, context } = caller.scope;
  try {
    return plan.accept({ nested: true, state, context, ...call });
  } catch (error) {
    if (!isLaitError(error) || error.category !== 'usage') throw error;
    const { code, message, details } = error;
    throw new StepError({ code, message, details, category: 'failed', cause: error.cause });
  }
}

/** Some steps of a child may not run where its caller is concurrent. Source: steps seed, 並行実行の制約. */
function refuseInUnit(plan: Plan, { unit }: Execution): void {
  if (unit === undefined) return;
  const refused = refusedIn(plan, unit);
  if (refused.length === 0) return;
  throw new DefinitionError({
    code: 'placement',
    message: `workflow '${plan.id}' cannot run in a concurrent unit: ${refused.map(({ message }) => message).join('; ')}`,
    diagnostics: refused.map(({ code, message, path, id, position }) => ({
      code,
      severity: 'error',
      message,
      path,
      id,
      position,
    })),
  });
}
