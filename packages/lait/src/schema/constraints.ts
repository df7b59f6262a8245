import { jsonEqual } from '../values/json-equal.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../values/value.js';
import { isCalendarDate, isInstant } from './date-format.js';
import { linearPattern } from './linear-pattern.js';

/** Says what is wrong with a value, or nothing. */
export type Constraint = (value: Value) => string | undefined;

/** The keywords that limit values of one type. A value of another type passes, as JSON Schema has it. */
const keywords: Readonly<Record<string, (limit: JsonValue) => Constraint | undefined>> = {
  minimum: numberLimit((value, limit) => value >= limit, 'Too small: expected number to be >='),
  maximum: numberLimit((value, limit) => value <= limit, 'Too big: expected number to be <='),
  exclusiveMinimum: numberLimit((value, limit) => value > limit, 'Too small: expected number to be >'),
  exclusiveMaximum: numberLimit((value, limit) => value < limit, 'Too big: expected number to be <'),
  multipleOf: numberLimit((value, step) => isMultiple(value, step), 'Invalid number: must be a multiple of '),
  minLength: sizeLimit(
    lengthOf,
    (size, limit) => size >= limit,
    'Too small: expected string to have characters >=',
  ),
  maxLength: sizeLimit(
    lengthOf,
    (size, limit) => size <= limit,
    'Too big: expected string to have characters <=',
  ),
  minItems: sizeLimit(
    countItems,
    (size, limit) => size >= limit,
    'Too small: expected array to have items >=',
  ),
  maxItems: sizeLimit(countItems, (size, limit) => size <= limit, 'Too big: expected array to have items <='),
  minProperties: sizeLimit(
    countKeys,
    (size, limit) => size >= limit,
    'Too small: expected object to have keys >=',
  ),
  maxProperties: sizeLimit(
    countKeys,
    (size, limit) => size <= limit,
    'Too big: expected object to have keys <=',
  ),
  uniqueItems: (wanted) => (wanted === true ? unique : undefined),
  pattern: (source) => (typeof source === 'string' ? matches(source) : undefined),
  format: (name) => (typeof name === 'string' && Object.hasOwn(formats, name) ? hasFormat(name) : undefined),
};

/** The constraints that a schema states at its top; nested schemas have their own. */
export function constraintsOf(schema: JsonObject): Constraint[] {
  return Object.entries(schema).flatMap(([keyword, limit]) => {
    const constraint = Object.hasOwn(keywords, keyword) ? keywords[keyword]!(limit) : undefined;
    return constraint === undefined ? [] : [constraint];
  });
}

function numberLimit(fits: (value: number, limit: number) => boolean, message: string) {
  return (limit: JsonValue): Constraint | undefined => {
    if (typeof limit !== 'number') return undefined;
    return (value) => (typeof value !== 'number' || fits(value, limit) ? undefined : `${message}${limit}`);
  };
}

function sizeLimit(
  measure: (value: Value) => number | undefined,
  fits: (size: number, limit: number) => boolean,
  message: string,
) {
  return (limit: JsonValue): Constraint | undefined => {
    if (typeof limit !== 'number') return undefined;
    return (value) => {
      const size = measure(value);
      return size === undefined || fits(size, limit) ? undefined : `${message}${limit}`;
    };
  };
}

/** Characters as people count them, not code units. */
function lengthOf(value: Value): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined;
}

function countItems(value: Value): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function countKeys(value: Value): number | undefined {
  return isObject(value) ? Object.keys(value).length : undefined;
}

/** True up to the rounding of decimal fractions: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient));
}

const unique: Constraint = (value) => {
  if (!Array.isArray(value)) return undefined;
  const simple = new Set<JsonValue>();
  const compound: JsonValue[] = [];
  for (const item of value) {
    const isCompound = typeof item === 'object' && item !== null;
    const repeated = isCompound ? compound.some((other) => jsonEqual(other, item)) : simple.has(item);
    if (repeated) return 'Invalid input: expected items to be unique';
    if (isCompound) compound.push(item);
    else simple.add(item);
  }
  return undefined;
};

function matches(source: string): Constraint {
  const pattern = linearPattern(source);
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (pattern.problem !== undefined) return `Invalid pattern ${source}: it ${pattern.problem}`;
    return pattern.found(value) ? undefined : `Invalid string: must match pattern ${source}`;
  };
}

/** Formats that are checked; unknown ones are annotations. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isCalendarDate,
  'date-time': isInstant,
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  email: (text) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text),
};

function hasFormat(name: string): Constraint {
  const fits = formats[name]!;
  return (value) => (typeof value !== 'string' || fits(value) ? undefined : `Invalid ${name}`);
}
