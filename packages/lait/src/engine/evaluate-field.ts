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
    throw inField(name, cause);
  }
}

/** The failure of an expression with the field that it stands in. */
export function inField(name: string, cause: unknown): StepError {
  return new StepError({ code: isLaitError(cause) ? cause.code : 'step_failed', message: name, cause });
}
