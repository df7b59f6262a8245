import { isObject, type Value } from '../../values/value.js';

/** An own member of a value, or undefined. Arrays have their indexes and `length`; nothing else has members. */
export function member(value: Value, name: string): Value {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as { [key: string]: Value })[name] : undefined;
}

/** Says why `path` leads to nothing: the first part that is missing, and what there is instead. */
export function explainMissing(start: Value, name: string, path: readonly string[]): string {
  let value = start;
  let reached = name;
  for (const part of path) {
    const next = member(value, part);
    if (next === undefined) return `${reached} has no '${part}' (${describe(value)})`;
    reached += /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `.[${part}]`;
    value = next;
  }
  return `${reached} does not exist`;
}

function describe(value: Value): string {
  if (value === undefined) return 'it does not exist';
  if (value === null) return 'it is null';
  if (Array.isArray(value)) return `it is an array of ${value.length}`;
  if (!isObject(value)) return `it is a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'it is an empty object';
  const shown = keys.slice(0, 10).map((key) => (key.length > 40 ? `${key.slice(0, 39)}…` : key));
  return `it has ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`;
}
