import type { JsonObject, JsonValue } from './json.js';

/** The own property `key`, or null. Prototype members such as `constructor` are never seen. */
export function getKey(object: JsonObject, key: string): JsonValue {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** Sets `key` as an own property, also where assignment would mean something else (`__proto__`). */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Long strings that begin alike are compared in blocks first, which takes a small part of the time. */
const block = 1024;

/** Compares strings by code point, the order in which jq sorts keys. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index + block < length && left.slice(index, index + block) === right.slice(index, index + block))
    index += block;
  for (; index < length; index++) {
    let a = left.charCodeAt(index);
    let b = right.charCodeAt(index);
    if (a === b) continue;
    // UTF-16 order differs from code point order only between surrogates and U+E000…U+FFFF.
    if (a >= 0xd800 && b >= 0xd800) {
      a = a >= 0xe000 ? a - 0x800 : a + 0x2000;
      b = b >= 0xe000 ? b - 0x800 : b + 0x2000;
    }
    return a - b;
  }
  return left.length - right.length;
}

/** The own keys of an object in jq's order. */
export function sortedKeys(object: JsonObject): string[] {
  return Object.keys(object).sort(compareStrings);
}
