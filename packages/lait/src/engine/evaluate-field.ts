import { StepError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { Expression } from '../expressions/expression.js';
import type { Scope } from '../expressions/scope.js';
import type { Value } from '../values/value.js';

/** Evaluates `when`, `input` or `output`; the error of a failure names the field. */
export function evaluateField(name: string, expression: Expression, scope: Scope): Value {
  try {
    return expression.evaluate(scope);
  } catch (cause) {
    throw new StepError({ code: isLaitError(cause) ? cause.code : 'step_failed', message: name, cause });
  }
}
