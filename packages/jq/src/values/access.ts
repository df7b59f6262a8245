import type { Context } from '../compile/context.js';
import { equal } from './compare.js';
import { describe } from './describe.js';
import { isObject, type JsonArray, type JsonValue } from './json.js';
import { getKey } from './object.js';
import { raise } from './raise.js';
import { sliceBounds, sliceKey } from './slice.js';
import { codePointLength, codePointSlice } from './text.js';

/** `value | .[key]` for every kind of key: name, position, slice object, or array to search for. */
export function getIndex(value: JsonValue, key: JsonValue, context: Context): JsonValue {
  if (typeof key === 'string') {
    if (isObject(value)) return getKey(value, key);
    if (value === null || value === undefined) return null;
  } else if (typeof key === 'number') {
    if (Array.isArray(value)) return elementAt(value, key);
    if (value === null || value === undefined) return null;
  } else if (isObject(key)) {
    if (value === null || value === undefined) return null;
    if (Array.isArray(value) || typeof value === 'string') {
      const { from, to } = sliceKey(key);
      return getSlice(value, from, to, context);
    }
  } else if (Array.isArray(key) && Array.isArray(value)) {
    return positionsOf(value, key, context);
  }
  return raise(`Cannot index ${typeOf(value)} with ${describe(key)}`);
}

function typeOf(value: JsonValue): string {
  const text = describe(value);
  return text.slice(0, text.indexOf(' '));
}

function elementAt(array: JsonArray, key: number): JsonValue {
  let index = Math.floor(key);
  if (index < 0) index += array.length;
  return array[index] ?? null;
}

/** `value | .[from:to]` */
export function getSlice(value: JsonValue, from: JsonValue, to: JsonValue, context: Context): JsonValue {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) {
    const { start, end } = sliceBounds(value.length, from, to);
    context.chargeCopies(end - start);
    return value.slice(start, end);
  }
  if (typeof value === 'string') {
    context.chargeText(value.length);
    const { start, end } = sliceBounds(codePointLength(value), from, to);
    return codePointSlice(value, start, end);
  }
  return raise(`Cannot index ${typeOf(value)} with ${describe({ start: from, end: to })}`);
}

/** Every position where `part` occurs in `array` as consecutive elements. */
export function positionsOf(array: JsonArray, part: JsonArray, context: Context): number[] {
  const found: number[] = [];
  if (part.length === 0) return found;
  for (let start = 0; start + part.length <= array.length; start++) {
    let offset = 0;
    while (offset < part.length && equal(array[start + offset]!, part[offset]!, context)) offset++;
    context.chargeVisits(offset);
    if (offset === part.length) found.push(start);
  }
  return found;
}
