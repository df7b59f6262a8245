import { UsageError } from '../errors/errors.js';
import { type SpendingLimits, spendingLimitFields, spendingLimitNames } from '../plan/spending-limits.js';
import { didYouMean } from '../plan/suggest.js';

/** What `--limit NAME=VALUE` says, later ones winning. Throws a `UsageError` (code `option_value`). */
export function readLimits(given: readonly string[] | undefined): SpendingLimits | undefined {
  if (given === undefined) return undefined;
  const limits: SpendingLimits = {};
  for (const text of given) {
    const separator = text.indexOf('=');
    const written = separator < 0 ? text : text.slice(0, separator);
    const name = spendingLimitNames.find((known) => known === written);
    if (name === undefined) {
      const hint = didYouMean(written, spendingLimitNames) ?? `give one of ${spendingLimitNames.join(', ')}`;
      throw invalid(`--limit knows no '${written}'; ${hint}`);
    }
    const { type, minimum } = spendingLimitFields[name];
    const digits = text.slice(separator + 1).trim();
    const value = separator < 0 || digits === '' ? Number.NaN : Number(digits);
    if (!Number.isFinite(value) || value < minimum || (type === 'integer' && !Number.isInteger(value))) {
      const kind = type === 'integer' ? 'a whole number' : 'a number';
      throw invalid(`--limit ${name} must be ${kind} of at least ${minimum}, not '${digits}'`);
    }
    limits[name] = value;
  }
  return limits;
}

function invalid(message: string): UsageError {
  return new UsageError({ code: 'option_value', message });
}
