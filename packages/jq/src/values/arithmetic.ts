import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import { compare, equal } from './compare.js';
import { describe } from './describe.js';
import { isObject, type JsonArray, type JsonObject, type JsonValue } from './json.js';
import { setKey } from './object.js';
import { raise } from './raise.js';

/** Longest string a repetition may build; close to what JavaScript strings can hold. */
const maximumRepetition = 2 ** 29 - 25;
const largest64 = 2n ** 63n - 1n;

/** `left + right`: null is neutral, strings and arrays are joined, objects merged. */
export function add(left: JsonValue, right: JsonValue, context: Context): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (left === null || left === undefined) return right ?? null;
  if (right === null || right === undefined) return left;
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (Array.isArray(left) && Array.isArray(right)) {
    if (right.length === 0) return left;
    context.chargeCopies(left.length + right.length);
    return left.concat(right);
  }
  if (isObject(left) && isObject(right)) {
    const added = Object.keys(right).length;
    if (added === 0) return left;
    const merged = { ...left, ...right };
    context.chargeCopies((Object.keys(left).length + added) * 4);
    return merged;
  }
  return raise(`${describe(left)} and ${describe(right)} cannot be added`);
}

/** `left - right` of numbers, or the elements of `left` that do not occur in `right`. */
function subtract(left: JsonValue, right: JsonValue, context: Context): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (Array.isArray(left) && Array.isArray(right)) return difference(left, right, context);
  return raise(`${describe(left)} and ${describe(right)} cannot be subtracted`);
}

function difference(left: JsonArray, right: JsonArray, context: Context): JsonArray {
  const scalars = new Set<JsonValue>();
  const containers: JsonValue[] = [];
  for (const element of right) {
    if (typeof element === 'object' && element !== null) containers.push(element);
    // A Set finds NaN, which equals nothing in jq.
    else if (!Number.isNaN(element)) scalars.add(element);
  }
  return left.filter((element) => {
    if (typeof element !== 'object' || element === null) return !scalars.has(element);
    context.charge(containers.length);
    return !containers.some((other) => equal(element, other, context));
  });
}

/** `left * right`: numbers multiply, strings repeat, objects merge deeply. */
export function multiply(left: JsonValue, right: JsonValue, context: Context): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  if (typeof left === 'string' && typeof right === 'number') return repeat(left, right, context);
  if (typeof left === 'number' && typeof right === 'string') return repeat(right, left, context);
  if (isObject(left) && isObject(right)) return mergeDeep(left, right, context);
  return raise(`${describe(left)} and ${describe(right)} cannot be multiplied`);
}

function repeat(text: string, times: number, context: Context): JsonValue {
  if (Number.isNaN(times) || times < 0) return null;
  const count = Math.floor(times);
  if (text === '' || count === 0) return '';
  if (text.length * count > maximumRepetition) return raise('Repeat string result too long');
  context.charge((text.length * count) >>> 6);
  return text.repeat(count);
}

/** Merges objects level by level on an explicit stack, so that deep ones cannot overflow the native one. */
function mergeDeep(left: JsonObject, right: JsonObject, context: Context): JsonObject {
  const result = { ...left };
  const pending: [JsonObject, JsonObject, number][] = [[result, right, 0]];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const [target, source, depth] = entry;
    if (depth > maximumValueDepth) raise('Object merge too deep');
    const keys = Object.keys(source);
    context.charge(keys.length + 1);
    for (const key of keys) {
      const value = source[key] ?? null;
      const old = Object.hasOwn(target, key) ? (target[key] ?? null) : null;
      if (isObject(old) && isObject(value)) {
        const merged = { ...old };
        setKey(target, key, merged);
        pending.push([merged, value, depth + 1]);
      } else setKey(target, key, value);
    }
  }
  return result;
}

/** `left / right` of numbers, or the pieces of a split string. */
function divide(left: JsonValue, right: JsonValue, context: Context): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') {
    if (right === 0) {
      return raise(`${describe(left)} and ${describe(right)} cannot be divided because the divisor is zero`);
    }
    return left / right;
  }
  if (typeof left === 'string' && typeof right === 'string') return splitText(left, right, context);
  return raise(`${describe(left)} and ${describe(right)} cannot be divided`);
}

/** Splits by a literal separator; an empty one gives the code points. */
export function splitText(text: string, separator: string, context: Context): string[] {
  context.charge(text.length >>> 3);
  if (text === '') return [];
  return separator === '' ? Array.from(text) : text.split(separator);
}

/** `left % right` of the numbers without their fractions; the sign is the left one's. */
export function remainder(left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left !== 'number' || typeof right !== 'number') {
    return raise(`${describe(left)} and ${describe(right)} cannot be divided (remainder)`);
  }
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  const dividend = Math.trunc(left);
  const divisor = Math.abs(Math.trunc(right));
  if (divisor === 0) {
    const what = `${describe(left)} and ${describe(right)}`;
    return raise(`${what} cannot be divided (remainder) because the divisor is zero`);
  }
  if (Math.abs(dividend) <= Number.MAX_SAFE_INTEGER && divisor <= Number.MAX_SAFE_INTEGER) {
    // Adding zero turns -0 into 0.
    return (dividend % divisor) + 0;
  }
  return Number(toInteger64(dividend) % toInteger64(divisor));
}

/** A whole number clamped to 64 bits, in which jq computes remainders. */
function toInteger64(value: number): bigint {
  if (value >= 2 ** 63) return largest64;
  if (value < -(2 ** 63)) return -largest64 - 1n;
  return BigInt(value);
}

export function negate(value: JsonValue): JsonValue {
  // Not -value: jq knows no negative zero as the opposite of zero.
  if (typeof value === 'number') return 0 - value;
  return raise(`${describe(value)} cannot be negated`);
}

type Operation = (left: JsonValue, right: JsonValue, context: Context) => JsonValue;

/** What each binary operator does. */
export const operations: Readonly<Record<string, Operation>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '==': equal,
  '!=': (left, right, context) => !equal(left, right, context),
  '<': (left, right, context) => compare(left, right, context) < 0,
  '<=': (left, right, context) => compare(left, right, context) <= 0,
  '>': (left, right, context) => compare(left, right, context) > 0,
  '>=': (left, right, context) => compare(left, right, context) >= 0,
};
