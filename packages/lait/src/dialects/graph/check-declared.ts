import type { PipeOperator } from '../../expressions/pipe-operators.js';
import type { ComputedPart, TypedValue } from '../../expressions/typed-reference-value.js';
import { checkGraphSchema, type SchemaProblem } from '../../schema/graph-schema.js';
import { checkGraphValue, pathText } from '../../schema/graph-value.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../../values/value.js';
import type { DefinitionPath } from './definition.js';
import type { Place } from './graph-check.js';
import type { GraphIssues } from './issue.js';
import type { GraphIssueCode } from './issue-codes.js';
import type { SchemaPathResult } from './schema-path.js';

/** The schema that a value must fit when it is used, and what its literals are called in issues. */
export interface DeclaredPlace {
  schema: JsonValue | undefined;
  code: GraphIssueCode;
  /** `error`: a wrong literal can never work. `warning`: it only fails what comes later. */
  severity: 'error' | 'warning';
  /** True when missing and unknown properties count as wrong, too. */
  complete?: boolean;
}

type ReferencePart = Extract<ComputedPart, { kind: 'reference' }>;
type DatePart = Extract<ComputedPart, { kind: 'date' }>;

/**
 * Holds each operator's input against what is known to come in. Only the first has a declared type before it; a later
 * misfit fails the node when it runs. Source: graph facts §3.3, §3.6.
 */
export function checkPipeTypes(
  part: ReferencePart,
  declared: JsonObject | undefined,
  path: DefinitionPath,
  place: Place,
  issues: GraphIssues,
): void {
  let type = declared === undefined ? undefined : ownProperty(declared, 'type');
  for (const [step, { operator }] of part.pipe.entries()) {
    if (
      typeof type === 'string' &&
      operator.input !== undefined &&
      !operator.input.includes(type as 'string')
    ) {
      const message = `${part.reference.source}: '${operator.name}' works on ${operator.input.join(' or ')}, not on ${type}`;
      const severity = step === 0 ? 'error' : 'warning';
      issues.add({ code: 'pipe_type', severity, message, path: [...path, 'pipe', step], ...place.owner });
      return;
    }
    type = outputType(operator, type);
  }
}

function outputType(operator: PipeOperator, type: JsonValue | undefined): JsonValue | undefined {
  return operator.output === 'same' ? type : operator.output;
}

/** A date expression needs a date to start from and a text to end in, in the declared format. Source: facts §3.5. */
export function checkDatePart(
  part: DatePart,
  anchor: JsonObject | undefined,
  target: SchemaPathResult,
  path: DefinitionPath,
  place: Place,
  issues: GraphIssues,
): void {
  const add = (message: string) => issues.add({ code: 'expression', message, path, ...place.owner });
  if (anchor !== undefined && !Object.hasOwn(anchor, 'enum')) {
    const format = ownProperty(anchor, 'format');
    if (format !== 'date' && format !== 'date-time')
      add('the anchor must be declared as a date or date-time');
  }
  const problem =
    target.kind === 'declared' && isObject(target.schema)
      ? dateTargetProblem(target.schema, part.expression.result)
      : undefined;
  if (problem !== undefined) add(problem);
}

/** Why a date expression cannot stand for a value of this schema; undefined when it can. */
export function dateTargetProblem(schema: JsonObject, result: 'date' | 'datetime'): string | undefined {
  const type = ownProperty(schema, 'type');
  if (type !== undefined && type !== 'string')
    return `a date expression gives text, the field is declared as ${String(type)}`;
  const format = ownProperty(schema, 'format');
  if (format === 'date' && result !== 'date') return "the field is a date: use result 'date'";
  if (format === 'date-time' && result !== 'datetime')
    return "the field is a date-time: use result 'datetime'";
  return undefined;
}

/** What is missing or unknown fails the node before its call; what has the wrong type never was right. */
const mayBeMeant = new Set<string | undefined>(['required', 'additionalProperties']);

/** Checks what is written out; what is computed only shows when the node runs. */
export function checkLiterals(
  typed: TypedValue,
  path: DefinitionPath,
  place: Place,
  declared: DeclaredPlace,
  issues: GraphIssues,
): void {
  const { schema } = declared;
  // Schemas of foreign tools may go beyond the subset: their values are checked when the node runs.
  if (!isObject(schema) || typed.issues.length > 0 || checkGraphSchema(schema).length > 0) return;
  for (const problem of checkGraphValue(schema, typed.value)) {
    if (typed.parts.some((part) => concerns(problem, part.path))) continue;
    const name = `${path.at(-1)}${pathText(problem.path)}`;
    issues.add({
      code: declared.code,
      severity: declared.complete !== true && mayBeMeant.has(problem.keyword) ? 'warning' : declared.severity,
      message: `${name} ${problem.message}`,
      path: [...path, ...problem.path],
      ...place.owner,
    });
  }
}

/** Whether a problem lies in a computed part, or could vanish with its value. */
function concerns({ path, keyword }: SchemaProblem, part: readonly (string | number)[]): boolean {
  const shared = Math.min(path.length, part.length);
  for (let at = 0; at < shared; at += 1) if (path[at] !== part[at]) return false;
  return path.length >= part.length || keyword === 'enum';
}
