import { jsonEqual } from '../../values/json-equal.js';
import { jsonText } from '../../values/text.js';
import { isObject, type JsonValue, type Value } from '../../values/value.js';
import { member } from './member.js';

/** A helper that computes a value, e.g. `{{ json x }}` or `(eq a b)`. */
export interface ValueHelper {
  minimum: number;
  maximum: number;
  /** A missing argument counts as false instead of being an error: the way to ask whether something is there. */
  lenient?: boolean;
  /** Usable as a block too: `{{#eq a b}}…{{else}}…{{/eq}}`. */
  condition?: boolean;
  /** Throws an Error with the reason. `undefined` = missing. */
  call(values: readonly Value[]): Value;
}

/** Handlebars' truth: everything but false, null, missing, 0, '' and the empty array. */
export function isTruthy(value: Value, includeZero = false): boolean {
  if (value === 0) return includeZero;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

const comparison = (holds: (order: number) => boolean): ValueHelper => ({
  minimum: 2,
  maximum: 2,
  condition: true,
  call: ([left, right]) => holds(compare(left, right)),
});

/** The helpers that give values. `each`, `if`, `unless` and `with` are blocks and live in `compile-block.ts`. */
export const valueHelpers: ReadonlyMap<string, ValueHelper> = new Map<string, ValueHelper>([
  ['json', { minimum: 1, maximum: 1, call: ([value]) => jsonText(value as JsonValue) }],
  ['lookup', { minimum: 2, maximum: 2, call: ([value, key]) => lookup(value, key) }],
  ['len', { minimum: 1, maximum: 1, call: ([value]) => lengthOf(value) }],
  ['eq', { minimum: 2, maximum: 2, condition: true, call: ([left, right]) => jsonEqual(left, right) }],
  ['ne', { minimum: 2, maximum: 2, condition: true, call: ([left, right]) => !jsonEqual(left, right) }],
  ['lt', comparison((order) => order < 0)],
  ['lte', comparison((order) => order <= 0)],
  ['gt', comparison((order) => order > 0)],
  ['gte', comparison((order) => order >= 0)],
  ['not', { minimum: 1, maximum: 1, lenient: true, condition: true, call: ([value]) => !isTruthy(value) }],
  ['and', { minimum: 2, maximum: 20, lenient: true, condition: true, call: and }],
  ['or', { minimum: 2, maximum: 20, lenient: true, condition: true, call: or }],
]);

/** The first falsy argument, else the last one; a missing one counts as false. */
function and(values: readonly Value[]): Value {
  return (
    values.find((value) => !isTruthy(value)) ?? (values.every((v) => isTruthy(v)) ? values.at(-1) : false)
  );
}

/** The first truthy argument, else the last one; a missing one counts as false. */
function or(values: readonly Value[]): Value {
  return values.find((value) => isTruthy(value)) ?? values.at(-1) ?? false;
}

function lookup(value: Value, key: Value): Value {
  if (typeof key !== 'string' && typeof key !== 'number') throw new Error('the key must be text or a number');
  return member(value, String(key));
}

function lengthOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new Error(`${typeName(value)} has no length: it needs text, an array or an object`);
}

function compare(left: Value, right: Value): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  throw new Error(
    `cannot compare ${typeName(left)} with ${typeName(right)}: both must be numbers, or both text`,
  );
}

function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
