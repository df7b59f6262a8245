import type { Value } from './value.js';

/**
 * The text form of a value: a string as it is, everything else compact JSON, `null` for no value.
 * Used wherever text is needed: user messages, standard input of commands, written files, the final output.
 * Source: steps seed, 値の流れ.
 */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'null' : JSON.stringify(value);
}
