import { jsonEqual } from '../values/json-equal.js';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  type Value,
} from '../values/value.js';
import { isCalendarDate, isInstant } from './date-format.js';
import type { SchemaProblem } from './graph-schema.js';
import { linearPattern } from './linear-pattern.js';
import { isOfType } from './type-names.js';

/**
 * Checks a value against a schema of the graph form's subset and reports every problem. The schema must have passed
 * `checkGraphSchema`. Source: graph facts §5 with its resolutions: 1.0 is an integer, the numeric, length and pattern
 * keywords are enforced, dates need a real day and instants an offset.
 */
export function checkGraphValue(schema: JsonObject, value: Value): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  checkLevel(schema, value, [], problems);
  return problems;
}

function checkLevel(
  schema: JsonObject,
  value: Value,
  path: readonly (string | number)[],
  problems: SchemaProblem[],
): void {
  const report = (message: string, keyword?: string) => problems.push({ path, message, keyword });
  const choices = ownProperty(schema, 'enum');
  if (Array.isArray(choices)) {
    if (!choices.some((choice) => jsonEqual(choice, value))) {
      report(`must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, 'enum');
    }
    return;
  }
  const type = ownProperty(schema, 'type');
  if (isOfType(type, value) === false) {
    report(`must be ${withArticle(String(type))}, not ${typeName(value)}`);
    return;
  }
  if (isObject(value)) checkObject(schema, value, path, problems);
  else if (Array.isArray(value)) checkArray(schema, value, path, problems);
  else if (typeof value === 'string') checkText(schema, value, report);
  else if (typeof value === 'number') checkNumber(schema, value, report);
}

function checkObject(
  schema: JsonObject,
  value: JsonObject,
  path: readonly (string | number)[],
  problems: SchemaProblem[],
): void {
  const declared = ownProperty(schema, 'properties');
  const properties = isObject(declared) ? declared : {};
  const required = ownProperty(schema, 'required');
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      problems.push({ path, message: `misses '${name}'`, keyword: 'required' });
  }
  for (const [name, item] of Object.entries(value)) {
    const child = ownProperty(properties, name);
    if (isObject(child)) checkLevel(child, item, [...path, name], problems);
    else if (ownProperty(schema, 'additionalProperties') === false) {
      problems.push({
        path: [...path, name],
        message: 'is not a known property',
        keyword: 'additionalProperties',
      });
    }
  }
}

function checkArray(
  schema: JsonObject,
  value: JsonValue[],
  path: readonly (string | number)[],
  problems: SchemaProblem[],
): void {
  checkBounds(schema, 'Items', value.length, 'items', (message) => problems.push({ path, message }));
  const items = ownProperty(schema, 'items');
  if (!isObject(items)) return;
  for (const [index, item] of value.entries()) checkLevel(items, item, [...path, index], problems);
}

function checkText(schema: JsonObject, value: string, report: (message: string) => void): void {
  // Characters as people count them, not UTF-16 units.
  const bounded = Object.hasOwn(schema, 'minLength') || Object.hasOwn(schema, 'maxLength');
  if (bounded) checkBounds(schema, 'Length', [...value].length, 'characters', report);
  const pattern = ownProperty(schema, 'pattern');
  if (typeof pattern === 'string' && !linearPattern(pattern).found(value))
    report(`does not match the pattern ${pattern}`);
  const format = ownProperty(schema, 'format');
  if (format === 'date' && !isCalendarDate(value)) report('must be a date such as 2026-09-23');
  if (format === 'date-time' && !isInstant(value))
    report('must be a time with offset such as 2026-09-23T01:00:00+00:00');
}

function checkNumber(schema: JsonObject, value: number, report: (message: string) => void): void {
  const minimum = ownProperty(schema, 'minimum');
  const maximum = ownProperty(schema, 'maximum');
  if (typeof minimum === 'number' && value < minimum) report(`must be at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) report(`must be at most ${maximum}`);
}

function checkBounds(
  schema: JsonObject,
  suffix: 'Length' | 'Items',
  size: number,
  unit: string,
  report: (message: string) => void,
): void {
  const minimum = ownProperty(schema, `min${suffix}`);
  const maximum = ownProperty(schema, `max${suffix}`);
  if (typeof minimum === 'number' && size < minimum)
    report(`must have at least ${minimum} ${unit}, not ${size}`);
  if (typeof maximum === 'number' && size > maximum)
    report(`must have at most ${maximum} ${unit}, not ${size}`);
}

/** Fills in `default` of missing properties, at every level of declared objects that are there. Source: facts §5. */
export function withDefaults(schema: JsonObject, value: JsonValue): JsonValue {
  const properties = ownProperty(schema, 'properties');
  if (!isObject(value) || !isObject(properties)) return value;
  const filled: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const child = ownProperty(properties, name);
    setOwnProperty(filled, name, isObject(child) ? withDefaults(child, item) : item);
  }
  for (const [name, child] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) && isObject(child) && Object.hasOwn(child, 'default')) {
      setOwnProperty(filled, name, structuredClone(child.default));
    }
  }
  return filled;
}

/** `inputs.topic must be a string, not a number`; several joined by `; `. */
export function describeProblems(subject: string, problems: readonly SchemaProblem[]): string {
  const shown = problems
    .slice(0, 10)
    .map((problem) => `${subject}${pathText(problem.path)} ${problem.message}`);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  return shown.join('; ');
}

/** `.a[0].b` for a path below a subject. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
}

function typeName(value: Value): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
