/** A JSON value: what flows between steps, is stored, sent and printed. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON value, or `undefined` where the dynamic form knows "no value". */
export type Value = JsonValue | undefined;

/** True for a plain JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own property; names that came from outside must never reach the prototype. */
export function ownProperty(object: object, key: string): Value {
  return Object.hasOwn(object, key) ? (object as JsonObject)[key] : undefined;
}

/** Sets an own property, `__proto__` included, without touching the prototype. */
export function setOwnProperty(object: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}
