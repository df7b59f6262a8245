import { isObject, type Value } from '../values/value.js';

/** The types that JSON Schema knows. */
export const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** True for a type that JSON Schema knows. */
export function isTypeName(name: unknown): boolean {
  return (typeNames as readonly unknown[]).includes(name);
}

/** Whether a value is of a type of JSON Schema; undefined when the type is none that says so, `null` included. */
export function isOfType(type: unknown, value: Value): boolean | undefined {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    default:
      return undefined;
  }
}
