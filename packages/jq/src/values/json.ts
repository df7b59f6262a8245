/** A JSON value. Numbers may also be NaN or infinite while a program runs, as in jq. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}

/** jq's names of the six types. */
export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/**
 * The jq type of a value. `undefined`, which JavaScript objects may hold, counts as null.
 * Throws a TypeError for what is not JSON (functions, symbols, big integers).
 */
export function typeName(value: JsonValue): TypeName {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'undefined':
      return 'null';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
    default:
      throw new TypeError(`A ${typeof value} is not a JSON value`);
  }
}

/** Whether a value is an object in the JSON sense: neither null nor an array. */
export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** jq's truth: everything but `false` and `null`. */
export function isTruthy(value: JsonValue): boolean {
  return value !== false && value !== null;
}
