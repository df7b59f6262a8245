import type { Value } from '../values/value.js';

/** Whether a condition holds: only `false` and `null` do not. Source: steps seed, jq 式. */
export function holds(value: Value): boolean {
  return value !== false && value !== null && value !== undefined;
}
