import type { Misnamed } from '../values/misnamed.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import { linearPattern } from './linear-pattern.js';

/** A problem of a schema or of a value: where, from the root on, and what is wrong. */
export interface SchemaProblem {
  /** Keys and indexes from the root; empty for the root itself. */
  path: readonly (string | number)[];
  message: string;
  /** The keyword that a value does not fit. */
  keyword?: string;
  misnamed?: Misnamed;
}

/** Deepest nesting of schemas, the root counted as level 1. Source: graph facts §1.11. */
const maxSchemaDepth = 8;

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const;

/** Keywords that other tools know and that the subset leaves out on purpose. */
const leftOut = new Set([
  '$ref',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'const',
  'patternProperties',
  'additionalItems',
  'dependencies',
  'definitions',
  '$defs',
  'if',
  'then',
  'else',
  'propertyNames',
]);

type KeywordCheck = (value: JsonValue) => string | undefined;

const isText: KeywordCheck = (value) => (typeof value === 'string' ? undefined : 'must be text');
const isNumber: KeywordCheck = (value) => (typeof value === 'number' ? undefined : 'must be a number');
const isCount: KeywordCheck = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0
    ? undefined
    : 'must be an integer of at least 0';
const isAnything: KeywordCheck = () => undefined;

/** Every keyword of the subset with the shape of its value. Source: graph facts §5 and its resolutions. */
const keywords = new Map<string, KeywordCheck>([
  ['type', (value) => typeProblem(value)],
  ['properties', (value) => (isObject(value) ? undefined : 'must be an object of schemas')],
  ['required', (value) => (isTextList(value) ? undefined : 'must be a list of property names')],
  ['items', (value) => (isObject(value) ? undefined : 'must be one schema')],
  [
    'enum',
    (value) =>
      Array.isArray(value) && value.length > 0 ? undefined : 'must be a list with at least one value',
  ],
  [
    'additionalProperties',
    (value) =>
      typeof value === 'boolean' ? undefined : 'must be true or false: a schema is not supported here',
  ],
  ['description', isText],
  ['title', isText],
  ['default', isAnything],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['pattern', (value) => (typeof value === 'string' ? linearPattern(value).problem : 'must be text')],
  [
    'format',
    (value) => (value === 'date' || value === 'date-time' ? undefined : "must be 'date' or 'date-time'"),
  ],
]);

/** The keywords of the subset, for messages, editors and generated documentation. */
const graphSchemaKeywords: readonly string[] = [...keywords.keys()];

/**
 * Checks that a schema stays inside the subset of the graph form and reports every problem. Never throws.
 * Source: graph seed, agent Node; graph facts §5.
 */
export function checkGraphSchema(schema: JsonValue): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  checkLevel(schema, [], 1, problems);
  return problems;
}

function checkLevel(
  schema: JsonValue | undefined,
  path: readonly (string | number)[],
  depth: number,
  problems: SchemaProblem[],
): void {
  const report = (message: string, ...behind: (string | number)[]) =>
    problems.push({ path: [...path, ...behind], message });
  if (!isObject(schema)) {
    report('a schema must be an object');
    return;
  }
  if (depth > maxSchemaDepth) {
    report(`schemas may be nested ${maxSchemaDepth} levels deep at most`);
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const check = keywords.get(keyword);
    if (leftOut.has(keyword)) report(`'${keyword}' is not supported in this subset of JSON Schema`, keyword);
    else if (check === undefined) {
      problems.push({
        path: [...path, keyword],
        message: `unknown keyword '${keyword}'; known are ${graphSchemaKeywords.join(', ')}`,
        misnamed: { name: keyword, known: graphSchemaKeywords },
      });
    } else {
      const problem = check(value);
      if (problem !== undefined) report(`'${keyword}' ${problem}`, keyword);
    }
  }
  const type = ownProperty(schema, 'type');
  if (type === undefined && !Object.hasOwn(schema, 'enum')) report("a schema needs 'type' or 'enum'");
  if (Object.hasOwn(schema, 'format') && type !== 'string') report("'format' is for strings only", 'format');
  if (type === 'array' && !Object.hasOwn(schema, 'items')) report("an array needs 'items'");
  checkOrder(schema, 'minimum', 'maximum', report);
  checkOrder(schema, 'minLength', 'maxLength', report);
  checkOrder(schema, 'minItems', 'maxItems', report);

  const properties = ownProperty(schema, 'properties');
  if (isObject(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      checkLevel(child, [...path, 'properties', name], depth + 1, problems);
    }
    const required = ownProperty(schema, 'required');
    if (isTextList(required)) {
      for (const name of required) {
        if (!Object.hasOwn(properties, name))
          report(`'required' names '${name}', which 'properties' does not declare`, 'required');
      }
    }
  }
  const items = ownProperty(schema, 'items');
  if (isObject(items)) checkLevel(items, [...path, 'items'], depth + 1, problems);
}

function checkOrder(
  schema: JsonObject,
  low: string,
  high: string,
  report: (message: string, at: string) => void,
): void {
  const from = ownProperty(schema, low);
  const to = ownProperty(schema, high);
  if (typeof from === 'number' && typeof to === 'number' && from > to)
    report(`'${low}' is greater than '${high}'`, low);
}

function typeProblem(value: JsonValue): string | undefined {
  if (Array.isArray(value)) return 'must be a single type, not a list';
  return (types as readonly unknown[]).includes(value) ? undefined : `must be one of ${types.join(', ')}`;
}

function isTextList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
