import type { JsonValue, Value } from './value.js';
import { requireWritable } from './value-size.js';

/**
 * The text form of a value: a string as it is, everything else compact JSON, `null` for no value.
 * Used wherever text is needed: user messages, standard input of commands, written files, the final output.
 * Throws as `requireWritable` does. Source: steps seed, 値の流れ.
 */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'null' : jsonText(value);
}

/** JSON, compact unless an indentation is given. Throws as `requireWritable` does. */
export function jsonText(value: JsonValue, indentation?: number): string {
  requireWritable(value);
  return JSON.stringify(value, null, indentation);
}

/** What stands where people only look at a value that cannot be written. */
export const notShown = 'too large or too deep to be shown';

/** Compact JSON for messages, progress and traces: a value that cannot be written is no reason to fail there. */
export function shownJson(value: Value): string {
  try {
    return jsonText(value ?? null);
  } catch {
    return notShown;
  }
}
