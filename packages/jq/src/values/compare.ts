import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import type { JsonArray, JsonObject, JsonValue } from './json.js';
import { compareStrings, getKey, sortedKeys } from './object.js';
import { raise } from './raise.js';

/** Nesting up to which values are compared by plain recursion; deeper ones use an explicit stack. */
const recursionDepth = 200;

/** jq's order of types: null, false, true, numbers, strings, arrays, objects. */
function rank(value: JsonValue): number {
  switch (typeof value) {
    case 'boolean':
      return value ? 2 : 1;
    case 'number':
      return 3;
    case 'string':
      return 4;
    case 'object':
      if (value === null) return 0;
      return Array.isArray(value) ? 5 : 6;
    default:
      return 0;
  }
}

/**
 * jq's total order; negative, zero or positive. NaN is less than every number, itself included.
 * Raises "Comparison too deep" beyond jq's nesting limit.
 */
export function compare(left: JsonValue, right: JsonValue, context: Context): number {
  return compareAt(left, right, 0, context);
}

/** {@link compare} where one side at least is no container. */
export function compareScalars(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  return rank(left) - rank(right);
}

function compareNumbers(left: number, right: number): number {
  if (left < right) return -1;
  if (left === right) return 0;
  // Only NaN is unordered.
  return left > right ? 1 : Number.isNaN(left) ? -1 : 1;
}

function isContainer(value: JsonValue): value is JsonArray | JsonObject {
  return typeof value === 'object' && value !== null;
}

function compareAt(left: JsonValue, right: JsonValue, depth: number, context: Context): number {
  if (!isContainer(left) || !isContainer(right)) {
    if (typeof left === 'string') context.chargeText(left.length);
    return compareScalars(left, right);
  }
  if (depth > recursionDepth) return compareDeep(left, right, depth, context);
  if (Array.isArray(left)) {
    if (!Array.isArray(right)) return -1;
    const length = Math.min(left.length, right.length);
    for (let index = 0; index < length; index++) {
      const a = left[index] ?? null;
      const b = right[index] ?? null;
      const bothNumbers = typeof a === 'number' && typeof b === 'number';
      const order = bothNumbers ? compareNumbers(a, b) : compareAt(a, b, depth + 1, context);
      if (order === 0) continue;
      context.chargeVisits(index);
      return order;
    }
    context.chargeVisits(length);
    return left.length - right.length;
  }
  if (Array.isArray(right)) return 1;
  const leftKeys = sortedKeys(left);
  context.chargeVisits(leftKeys.length);
  const keyOrder = compareKeys(leftKeys, sortedKeys(right));
  if (keyOrder !== 0) return keyOrder;
  for (const key of leftKeys) {
    const order = compareAt(left[key] ?? null, right[key] ?? null, depth + 1, context);
    if (order !== 0) return order;
  }
  return 0;
}

function compareKeys(left: readonly string[], right: readonly string[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const order = compareStrings(left[index]!, right[index]!);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

interface Pair {
  readonly left: JsonValue;
  readonly right: JsonValue;
  readonly depth: number;
  /** Order to return when everything before this entry was equal; used for lengths. */
  readonly order: number;
}

/** {@link compareAt} with the pending pairs on the heap, the next one on top. */
function compareDeep(left: JsonValue, right: JsonValue, startDepth: number, context: Context): number {
  const pending: Pair[] = [{ left, right, depth: startDepth, order: 0 }];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    context.chargeVisits(0);
    if (pair.order !== 0) return pair.order;
    if (pair.depth > maximumValueDepth) raise('Comparison too deep');
    const { left: a, right: b, depth } = pair;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) {
      const order = compareScalars(a, b);
      if (order !== 0) return order;
      continue;
    }
    const children: Pair[] = [];
    if (Array.isArray(a) && Array.isArray(b)) {
      const length = Math.min(a.length, b.length);
      for (let index = 0; index < length; index++) {
        children.push({ left: a[index] ?? null, right: b[index] ?? null, depth: depth + 1, order: 0 });
      }
      children.push({ left: null, right: null, depth, order: a.length - b.length });
    } else {
      const keys = sortedKeys(a as JsonObject);
      const order = compareKeys(keys, sortedKeys(b as JsonObject));
      if (order !== 0) return order;
      for (const key of keys) {
        const pairLeft = getKey(a as JsonObject, key);
        children.push({ left: pairLeft, right: getKey(b as JsonObject, key), depth: depth + 1, order: 0 });
      }
    }
    for (let index = children.length - 1; index >= 0; index--) pending.push(children[index]!);
  }
  return 0;
}

/**
 * Deep equality. NaN equals nothing, but a container equals itself, whatever is in it. Raises "Equality check too deep"
 * beyond jq's nesting limit.
 */
export function equal(left: JsonValue, right: JsonValue, context: Context): boolean {
  return equalAt(left, right, 0, context);
}

function equalAt(left: JsonValue, right: JsonValue, depth: number, context: Context): boolean {
  if (!isContainer(left) || !isContainer(right) || left === right) {
    if (typeof left === 'string') context.chargeText(left.length);
    return (left ?? null) === (right ?? null);
  }
  if (depth > recursionDepth) return equalDeep(left, right, depth, context);
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) {
      const element = left[index]!;
      const same = typeof element === 'number' && element === right[index];
      if (same || equalAt(element, right[index]!, depth + 1, context)) continue;
      context.chargeVisits(index);
      return false;
    }
    context.chargeVisits(left.length);
    return true;
  }
  if (Array.isArray(right)) return false;
  const keys = Object.keys(left);
  context.chargeVisits(keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equalAt(left[key]!, right[key]!, depth + 1, context)) return false;
  }
  return true;
}

function equalDeep(left: JsonValue, right: JsonValue, startDepth: number, context: Context): boolean {
  const pending: [JsonValue, JsonValue, number][] = [[left, right, startDepth]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    context.chargeVisits(0);
    const [a, b, depth] = pair;
    if (depth > maximumValueDepth) raise('Equality check too deep');
    if (a === b) continue;
    if (!isContainer(a) || !isContainer(b)) {
      if ((a ?? null) !== (b ?? null)) return false;
    } else if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) pending.push([a[index]!, b[index]!, depth + 1]);
    } else {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        pending.push([a[key]!, b[key]!, depth + 1]);
      }
    }
  }
  return true;
}
