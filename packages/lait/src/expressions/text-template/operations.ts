import { compareText } from '../../values/compare-text.js';
import { jsonEqual } from '../../values/json-equal.js';
import type { JsonValue } from '../../values/value.js';
import type { FilterTools } from './filter.js';
import type { CompareOperator } from './syntax.js';
import { TemplateError } from './template-error.js';

/** A name or field that has no value: anything done with it but asking whether it is defined fails. */
export class UndefinedValue {
  /** `blank`: what an `if` without `else` gives when it is not true; it shows as nothing. */
  constructor(
    readonly name: string,
    readonly blank = false,
  ) {}
}

/** What was looked up, or an undefined value when it is not there; null is a value like any other. */
export function foundOr(value: TemplateValue | undefined, name: string): TemplateValue {
  return value === undefined ? new UndefinedValue(name) : value;
}

/** `namespace()`: the only value that a template can change from inside a loop. */
export class Namespace {
  readonly fields: Map<string, TemplateValue>;

  constructor(fields: ReadonlyMap<string, TemplateValue>) {
    this.fields = new Map(fields);
  }
}

export interface CallArguments {
  positional: TemplateValue[];
  named: Map<string, TemplateValue>;
}
export type TemplateFunction = (call: CallArguments, tools: FilterTools) => TemplateValue;

/** A value inside a template: JSON, a function of the language, or nothing. */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | TemplateValue[]
  | TemplateObject
  | UndefinedValue
  | Namespace
  | TemplateFunction;
export interface TemplateObject {
  [key: string]: TemplateValue;
}

/** Longest text that a template may build on the way, in UTF-16 units. */
export const maxTextLength = 1_048_576;

export function isTemplateObject(value: TemplateValue): value is TemplateObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof UndefinedValue) &&
    !(value instanceof Namespace)
  );
}

/** The value itself, or an empty text for what shows as nothing; fails for an undefined one. */
export function defined<T extends TemplateValue>(value: T): Exclude<T, UndefinedValue> {
  if (!(value instanceof UndefinedValue)) return value as Exclude<T, UndefinedValue>;
  if (value.blank) return '' as Exclude<T, UndefinedValue>;
  throw new TemplateError(`'${value.name}' is undefined`);
}

/** Whether a value counts as true in Jinja: what is empty, zero or none does not. */
export function isTrue(value: TemplateValue): boolean {
  const known = defined(value);
  if (Array.isArray(known)) return known.length > 0;
  if (isTemplateObject(known)) return Object.keys(known).length > 0;
  return known instanceof Namespace || typeof known === 'function' || Boolean(known);
}

/** The text of a value as Jinja writes it: `True`, `None`, and lists and dicts with quoted texts. */
export function templateText(value: TemplateValue): string {
  const known = defined(value);
  return typeof known === 'string' ? known : representation(known);
}

/** The text of a value inside a list or dict. */
export function representation(value: TemplateValue): string {
  const known = defined(value);
  if (known === null) return 'None';
  if (known === true) return 'True';
  if (known === false) return 'False';
  if (typeof known === 'number') return String(known);
  if (typeof known === 'string') return quoted(known);
  if (Array.isArray(known)) return `[${joined(known.map(representation), ', ')}]`;
  if (isTemplateObject(known)) {
    const entries = Object.entries(known).map(([key, item]) => `${quoted(key)}: ${representation(item)}`);
    return `{${joined(entries, ', ')}}`;
  }
  throw new TemplateError(known instanceof Namespace ? 'a namespace has no text' : 'a function has no text');
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(
    /[\\\n\r\t]/g,
    (character) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character]!,
  );
  return mark + (mark === "'" ? inner.replaceAll("'", "\\'") : inner) + mark;
}

/** Refuses texts that grow without end. */
export function bounded(text: string): string {
  if (text.length > maxTextLength) throw new TemplateError('a text grew beyond 1 MiB');
  return text;
}

/** The texts with a separator between them; how long that gets is known before it is made. */
export function joined(texts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  if (length > maxTextLength) throw new TemplateError('a text grew beyond 1 MiB');
  return texts.join(separator);
}

/** The JSON form; fails for functions, namespaces and undefined values. */
export function toJson(value: TemplateValue): JsonValue {
  const known = defined(value);
  if (typeof known === 'function' || known instanceof Namespace)
    throw new TemplateError('a function is no JSON value');
  if (Array.isArray(known)) return known.map(toJson);
  if (isTemplateObject(known))
    return Object.fromEntries(Object.entries(known).map(([key, item]) => [key, toJson(item)]));
  return known;
}

export function templateEqual(left: TemplateValue, right: TemplateValue): boolean {
  const one = defined(left);
  const other = defined(right);
  return typeof one === 'function' || typeof other === 'function' ? one === other : jsonEqual(one, other);
}

/** Negative, zero or positive; fails for values that have no common order. */
export function templateOrder(left: TemplateValue, right: TemplateValue): number {
  const one = defined(left);
  const other = defined(right);
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other);
  if (isNumeric(one) && isNumeric(other)) return Number(one) - Number(other);
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [index, item] of one.entries()) {
      if (index >= other.length) return 1;
      const order = templateEqual(item, other[index]!) ? 0 : templateOrder(item, other[index]!);
      if (order !== 0) return order;
    }
    return one.length - other.length;
  }
  throw new TemplateError(`cannot order ${typeName(one)} and ${typeName(other)}`);
}

export function contains(container: TemplateValue, item: TemplateValue): boolean {
  const known = defined(container);
  if (typeof known === 'string') {
    const part = defined(item);
    if (typeof part !== 'string') throw new TemplateError(`cannot look for ${typeName(part)} in a text`);
    return known.includes(part);
  }
  if (Array.isArray(known)) return known.some((element) => templateEqual(element, item));
  if (isTemplateObject(known)) return typeof item === 'string' && Object.hasOwn(known, item);
  throw new TemplateError(`cannot look into ${typeName(known)}`);
}

/** The elements that a loop or a filter goes over: list items, keys of a dict, characters of a text. */
export function elements(value: TemplateValue): TemplateValue[] {
  const known = defined(value);
  if (Array.isArray(known)) return known;
  if (typeof known === 'string') return [...known];
  if (isTemplateObject(known)) return Object.keys(known);
  throw new TemplateError(`cannot go over ${typeName(known)}`);
}

export function isNumeric(value: TemplateValue): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

export function typeName(value: TemplateValue): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object') return value instanceof Namespace ? 'a namespace' : 'a dict';
  return { string: 'a text', number: 'a number', boolean: 'a boolean' }[
    typeof value as 'string' | 'number' | 'boolean'
  ];
}

/** `left operator right` */
export function compares(operator: CompareOperator, left: TemplateValue, right: TemplateValue): boolean {
  switch (operator) {
    case '==':
      return templateEqual(left, right);
    case '!=':
      return !templateEqual(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    default: {
      const order = templateOrder(left, right);
      if (operator === '<') return order < 0;
      if (operator === '<=') return order <= 0;
      return operator === '>' ? order > 0 : order >= 0;
    }
  }
}
