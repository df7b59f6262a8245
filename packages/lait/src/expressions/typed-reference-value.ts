import type { Misnamed } from '../values/misnamed.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../values/value.js';
import { type DateExpression, evaluateDateExpression, readDateExpression } from './date-expression.js';
import type { Expression, Reference } from './expression.js';
import { applyPipe, type PipeStep, readPipe } from './pipe.js';
import type { Scope } from './scope.js';
import {
  parseTypedReference,
  resolveReference,
  staticReference,
  type TypedReference,
} from './typed-reference.js';

export type TypedValueIssueCode = 'reference_shape' | 'reference_scope' | 'pipe' | 'expression';

/** A problem inside a value: where it stands, counted from the value's root. */
export interface TypedValueIssue {
  code: TypedValueIssueCode;
  path: readonly (string | number)[];
  message: string;
  misnamed?: Misnamed | undefined;
}

/** Something in a value that is computed when the node runs. */
export type ComputedPart =
  | {
      kind: 'reference';
      path: readonly (string | number)[];
      reference: TypedReference;
      pipe: readonly PipeStep[];
    }
  | { kind: 'date'; path: readonly (string | number)[]; expression: DateExpression };

/** A JSON value whose references, pipes and date expressions are known. */
export interface TypedValue {
  value: JsonValue;
  parts: readonly ComputedPart[];
  issues: readonly TypedValueIssue[];
}

/** Deepest nesting of a value; deeper ones are refused before they can exhaust the stack. */
const maxValueDepth = 200;

/**
 * Finds every `$ref`, `pipe` and `$expr` of a value, at any depth, and every malformed one. Plain strings are
 * literals, whatever they look like. Source: graph facts §3.1, §3.5, §3.6.
 */
export function readTypedValue(value: JsonValue): TypedValue {
  const parts: ComputedPart[] = [];
  const issues: TypedValueIssue[] = [];
  visit(value, [], parts, issues);
  return { value, parts, issues };
}

function visit(
  value: JsonValue,
  path: readonly (string | number)[],
  parts: ComputedPart[],
  issues: TypedValueIssue[],
): void {
  if (path.length > maxValueDepth) {
    issues.push({
      code: 'reference_shape',
      path,
      message: `values may be nested ${maxValueDepth} levels deep at most`,
    });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, [...path, index], parts, issues);
  } else if (isObject(value)) {
    if (Object.hasOwn(value, '$ref')) visitReference(value, path, parts, issues);
    else if (Object.hasOwn(value, '$expr')) visitExpression(value, path, parts, issues);
    else for (const [key, item] of Object.entries(value)) visit(item, [...path, key], parts, issues);
  }
}

function visitReference(
  value: JsonObject,
  path: readonly (string | number)[],
  parts: ComputedPart[],
  issues: TypedValueIssue[],
): void {
  const others = Object.keys(value).filter((key) => key !== '$ref' && key !== 'pipe');
  const source = value.$ref;
  if (others.length > 0) {
    issues.push({
      code: 'reference_shape',
      path,
      message: `an object with $ref may only have 'pipe' beside it, not ${others.map((key) => `'${key}'`).join(', ')}`,
    });
    return;
  }
  if (typeof source !== 'string' || source.trim() === '') {
    issues.push({ code: 'reference_shape', path, message: '$ref must be a path such as run.inputs.topic' });
    return;
  }
  let pipe: readonly PipeStep[] = [];
  if (Object.hasOwn(value, 'pipe')) {
    if (!Array.isArray(value.pipe)) {
      issues.push({
        code: 'reference_shape',
        path: [...path, 'pipe'],
        message: 'pipe must be a list of {op, args}',
      });
      return;
    }
    const read = readPipe(value.pipe);
    for (const problem of read.problems)
      issues.push({ ...problem, code: 'pipe', path: [...path, 'pipe', ...problem.path] });
    pipe = read.steps;
  }
  const parsed = parseTypedReference(source);
  if ('problem' in parsed)
    issues.push({ code: 'reference_scope', path, message: parsed.problem, misnamed: parsed.misnamed });
  else parts.push({ kind: 'reference', path, reference: parsed.reference, pipe });
}

function visitExpression(
  value: JsonObject,
  path: readonly (string | number)[],
  parts: ComputedPart[],
  issues: TypedValueIssue[],
): void {
  const others = Object.keys(value).filter((key) => key !== '$expr');
  if (others.length > 0) {
    issues.push({
      code: 'reference_shape',
      path,
      message: `an object with $expr may have no other keys, not ${others.map((key) => `'${key}'`).join(', ')}`,
    });
    return;
  }
  const read = readDateExpression(value.$expr!);
  if (read.problems.length > 0) {
    for (const problem of read.problems)
      issues.push({ code: 'expression', path: [...path, '$expr'], message: problem });
  } else parts.push({ kind: 'date', path, expression: read.expression! });
}

/**
 * Compiles a value without issues to an expression that resolves its parts. Throws, when evaluated, a `StepError`
 * with code `reference_unresolved`, `pipe_failed` or `expression_failed`.
 */
export function compileTypedValue(typed: TypedValue): Expression<JsonValue> {
  const computed = new Map(typed.parts.map((part) => [JSON.stringify(part.path), part]));
  const references: Reference[] = typed.parts.flatMap(referencesOf).map(staticReference);
  const source = JSON.stringify(typed.value);
  if (computed.size === 0) {
    return { language: 'constant', source, references, evaluate: () => typed.value };
  }
  const build = compileLevel(typed.value, [], computed);
  return { language: 'reference', source, references, evaluate: build };
}

/** The references of a part: its own, or the anchor of a date expression. */
export function referencesOf(part: ComputedPart): TypedReference[] {
  if (part.kind === 'reference') return [part.reference];
  return part.expression.anchor === 'now' ? [] : [part.expression.anchor];
}

type Build = (scope: Scope) => JsonValue;

function compileLevel(
  value: JsonValue,
  path: readonly (string | number)[],
  computed: ReadonlyMap<string, ComputedPart>,
): Build {
  const part = computed.get(JSON.stringify(path));
  if (part !== undefined) return buildPart(part);
  if (Array.isArray(value))
    return buildArray(value.map((item, index) => compileLevel(item, [...path, index], computed)));
  if (isObject(value)) {
    return buildObject(
      Object.entries(value).map(([key, item]) => [key, compileLevel(item, [...path, key], computed)]),
    );
  }
  return buildConstant(value);
}

// Functions of their own, so that what they give keeps nothing of what it was compiled from.

function buildPart(part: ComputedPart): Build {
  if (part.kind === 'date') return (scope) => evaluateDateExpression(part.expression, scope);
  const { reference, pipe } = part;
  return (scope) => applyPipe(pipe, resolveReference(reference, scope), reference.source);
}

function buildArray(items: readonly Build[]): Build {
  return (scope) => items.map((item) => item(scope));
}

function buildObject(entries: readonly (readonly [key: string, build: Build])[]): Build {
  return (scope) => {
    const object: JsonObject = {};
    for (const [key, build] of entries) setOwnProperty(object, key, build(scope));
    return object;
  };
}

function buildConstant(value: JsonValue): Build {
  return () => value;
}
