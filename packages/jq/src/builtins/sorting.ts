import type { Context } from '../compile/context.js';
import { compare, compareNumbers } from '../values/compare.js';
import type { JsonArray, JsonValue } from '../values/json.js';
import { compareStrings } from '../values/object.js';

/** The cheapest comparison that orders all of `values` as jq does. */
function comparisonFor(values: JsonArray): (left: JsonValue, right: JsonValue) => number {
  if (values.every((value) => typeof value === 'number')) {
    return compareNumbers as (left: JsonValue, right: JsonValue) => number;
  }
  if (values.every((value) => typeof value === 'string')) {
    return compareStrings as (left: JsonValue, right: JsonValue) => number;
  }
  return compare;
}

/** Compares numbers without NaN; infinities have no difference. */
function compareFinite(left: number, right: number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A sorted copy. Equal values keep their order. */
export function sortValues(values: JsonArray, context: Context): JsonArray {
  context.charge(values.length);
  return values.slice().sort(comparisonFor(values));
}

/** Pairs of values and their keys, sorted by key; equal keys keep their order. */
export function sortBy(
  values: JsonArray,
  keys: JsonArray,
  context: Context,
): { key: JsonValue; value: JsonValue }[] {
  context.charge(values.length);
  // Keys are arrays of all outputs of the key expression; one output is the usual case.
  const isSingle = keys.every((key) => Array.isArray(key) && key.length === 1);
  const simple = isSingle ? (keys as JsonArray[]).map((key) => key[0]!) : keys;
  const entries = values.map((value, index) => ({ key: simple[index]!, value }));
  if (simple.every((key) => typeof key === 'number' && !Number.isNaN(key))) {
    return entries.sort((left, right) => compareFinite(left.key as number, right.key as number));
  }
  const comparison = comparisonFor(simple);
  return entries.sort((left, right) => comparison(left.key, right.key));
}
