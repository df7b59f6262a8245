import type { Context } from '../compile/context.js';
import { compare } from '../values/compare.js';
import type { JsonArray, JsonValue } from '../values/json.js';
import { hasSurrogates } from '../values/text.js';

/** Whether two elements, named by their positions, stand in order: the first is not greater than the second. */
type InOrder = (first: number, second: number) => boolean;

/** The cheapest comparison that orders all of `keys` as jq does. */
function comparisonOf(keys: JsonArray, context: Context): InOrder {
  if (keys.every((key) => typeof key === 'number' && !Number.isNaN(key))) {
    const numbers = Float64Array.from(keys as number[]);
    return (first, second) => numbers[first]! <= numbers[second]!;
  }
  // Without surrogates JavaScript's order of strings is that of their code points.
  if (keys.every((key) => typeof key === 'string' && !hasSurrogates(key))) {
    const texts = keys as string[];
    for (const text of texts) context.chargeText(text.length);
    return (first, second) => texts[first]! <= texts[second]!;
  }
  return (first, second) => compare(keys[first]!, keys[second]!, context) <= 0;
}

/** Elements that are sorted by insertion before they are merged. */
const runLength = 16;

/**
 * The positions of `keys` in jq's order; equal keys keep theirs. A merge sort of positions, because the engine's own
 * sort pays for each comparison more than this does, and needs an object for each pair of key and value.
 */
export function sortedPositions(keys: JsonArray, context: Context): Uint32Array {
  const { length } = keys;
  context.charge(length);
  const inOrder = comparisonOf(keys, context);
  let from: Uint32Array = sortedRuns(length, inOrder);
  let to: Uint32Array = new Uint32Array(length > runLength ? length : 0);
  for (let width = runLength; width < length; width *= 2) {
    for (let start = 0; start < length; start += width * 2) {
      const middle = Math.min(start + width, length);
      merge(from, to, start, middle, Math.min(middle + width, length), inOrder);
    }
    [from, to] = [to, from];
  }
  return from;
}

/** All positions up to `length`, each run of a few sorted. */
function sortedRuns(length: number, inOrder: InOrder): Uint32Array {
  const positions = new Uint32Array(length);
  for (let index = 0; index < length; index++) {
    const start = index - (index % runLength);
    let place = index;
    for (; place > start && !inOrder(positions[place - 1]!, index); place--) {
      positions[place] = positions[place - 1]!;
    }
    positions[place] = index;
  }
  return positions;
}

/** Merges the sorted parts `start` to `middle` and `middle` to `end` of `from` into the same place of `to`. */
function merge(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
  inOrder: InOrder,
): void {
  let left = start;
  let right = middle;
  // What is in order already is copied.
  if (middle === end || inOrder(from[middle - 1]!, from[middle]!)) right = end;
  for (let index = start; index < end; index++) {
    const takesLeft = right === end || (left < middle && inOrder(from[left]!, from[right]!));
    to[index] = takesLeft ? from[left++]! : from[right++]!;
  }
}

/** A sorted copy. Equal values keep their order. */
export function sortValues(values: JsonArray, context: Context): JsonArray {
  return valuesAt(values, sortedPositions(values, context));
}

/** The values at some positions, in their order. */
export function valuesAt(values: JsonArray, positions: Uint32Array): JsonArray {
  const result: JsonValue[] = [];
  for (const position of positions) result.push(values[position]!);
  return result;
}

/** Keys are arrays of all outputs of the key expression. One output is the usual case, and stands for its array. */
export function simpleKeys(keys: JsonArray): JsonArray {
  const isSingle = keys.every((key) => Array.isArray(key) && key.length === 1);
  return isSingle ? (keys as JsonArray[]).map((key) => key[0]!) : keys;
}
