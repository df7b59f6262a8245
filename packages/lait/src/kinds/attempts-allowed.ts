import { StepError } from '../errors/errors.js';
import type { StepContext } from './kind.js';

/** A negative number of retries leaves no attempt at all. Source: dynamic facts §4, retries. */
export function requireAttempts({ node }: StepContext): void {
  if (node.retry === undefined || node.retry.maxAttempts >= 1) return;
  throw new StepError({ code: 'no_attempts', message: 'Unknown error: retries leave no attempt' });
}
