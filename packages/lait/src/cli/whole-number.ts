import { UsageError } from '../errors/errors.js';

/** Reads the value of an option that is a whole number of at least `minimum`. Throws a `UsageError`. */
export function wholeNumber(option: string, minimum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum) return value;
    throw new UsageError({
      code: 'option_value',
      message: `${option} must be a whole number of at least ${minimum}, not '${text}'`,
    });
  };
}
