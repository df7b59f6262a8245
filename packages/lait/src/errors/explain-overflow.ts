import { LaitError } from './lait-error.js';

/**
 * An overflow as what it means to the user: a value nested too deep to become JSON, which jq can build and every writer of
 * JSON refuses (`value_too_deep`), or one whose JSON is longer than a text can be (`value_too_large`). Looking for the
 * depth beforehand would cost a walk through every value. Other errors come back as they are.
 */
export function explainOverflow(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  if (/invalid string length/i.test(error.message)) return valueTooLarge();
  if (!/call stack/i.test(error.message)) return error;
  return new LaitError({
    code: 'value_too_deep',
    message: 'a value is nested too deep (thousands of levels) to be written as JSON; make it flatter first',
  });
}

/** The error (code `value_too_large`) for a value whose JSON would be too long. */
export function valueTooLarge(): LaitError {
  return new LaitError({
    code: 'value_too_large',
    message:
      'a value is too large to be written as JSON, perhaps because it holds the same parts over and over',
  });
}
