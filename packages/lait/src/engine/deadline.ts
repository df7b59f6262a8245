import { TimeoutError } from '../errors/errors.js';
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
 * What a failure is at the place that set the deadline `own`: its own deadline becomes an ordinary timeout, anything
 * that is no deadline stays as it is. Throws the error of a deadline that was set further out.
 */
export function catchDeadline(error: unknown, own: Address): unknown {
  const deadline = isLaitError(error) ? error.details.deadline : undefined;
  if (!isLaitError(error) || deadline === undefined) return error;
  if (deadline !== own) throw error;
  return new TimeoutError({ code: error.code, message: error.message });
}
