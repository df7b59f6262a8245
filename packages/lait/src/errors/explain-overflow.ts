import { LaitError } from './lait-error.js';

/**
 * An overflow of the call stack as what it means to the user: a value nested too deep to become JSON, which jq can build
 * and every writer of JSON refuses. Looking for the depth beforehand would cost a walk through every value. Other errors
 * come back as they are. Code `value_too_deep`.
 */
export function explainOverflow(error: unknown): unknown {
  if (!(error instanceof RangeError) || !/call stack/i.test(error.message)) return error;
  return new LaitError({
    code: 'value_too_deep',
    message: 'a value is nested too deep (thousands of levels) to be written as JSON; make it flatter first',
  });
}
