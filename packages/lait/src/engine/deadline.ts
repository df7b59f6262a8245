import { StepError, TimeoutError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { Address } from './runtime.js';

/**
 * The error of a deadline. It names the place that set the deadline, because only that place may catch it — also when
 * the error comes from a record and nothing is cancelled any more.
 */
export function deadlineError(code: string, message: string, deadline: Address): TimeoutError {
  return new TimeoutError({ code, message, details: { deadline } });
}

/**
 * What a failure is at the place that set the deadline `own`, or the limit of spending: its own becomes an ordinary
 * failure, anything that is no deadline stays as it is. Throws the error of a deadline that was set further out.
 */
export function catchDeadline(error: unknown, own: Address): unknown {
  if (!isLaitError(error) || error.details.deadline === undefined) return error;
  const { code, message, category } = error;
  const { deadline, ...details } = error.details;
  if (deadline !== own) throw error;
  return category === 'timeout'
    ? new TimeoutError({ code, message, details })
    : new StepError({ code, message, details, category });
}
