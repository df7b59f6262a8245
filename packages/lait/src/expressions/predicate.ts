import { StepError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { JsonValue, Value } from '../values/value.js';
import { isDynamicRoot, readRoot, referenceTo } from './dynamic-root.js';
import type { Expression, Reference } from './expression.js';
import { absent, broken, lookUp } from './path.js';
import type { Scope } from './scope.js';

/** One side of a comparison. With both, the literal counts. */
export type Operand = { path: string } | { literal: JsonValue };

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';

/** A condition as JSON. Source: dynamic seed, 述語. */
export type Predicate =
  | { op: ComparisonOperator; left: Operand; right: Operand }
  | { op: 'in' | 'notIn'; value: Operand; set: JsonValue[] }
  | { op: 'exists' | 'notExists'; path: string }
  | { op: 'truthy' | 'falsy'; value: Operand }
  | { op: 'and' | 'or'; args: Predicate[] }
  | { op: 'not'; arg: Predicate };

/** Where the parts of each operator are: the checker and the compiler read predicates by this table. */
export const predicateParts: Readonly<Record<Predicate['op'], readonly PredicatePart[]>> = {
  eq: [operand('left'), operand('right')],
  ne: [operand('left'), operand('right')],
  lt: [operand('left'), operand('right')],
  lte: [operand('left'), operand('right')],
  gt: [operand('left'), operand('right')],
  gte: [operand('left'), operand('right')],
  in: [operand('value')],
  notIn: [operand('value')],
  exists: [{ key: 'path', type: 'path' }],
  notExists: [{ key: 'path', type: 'path' }],
  truthy: [operand('value')],
  falsy: [operand('value')],
  and: [{ key: 'args', type: 'predicates' }],
  or: [{ key: 'args', type: 'predicates' }],
  not: [{ key: 'arg', type: 'predicate' }],
};

export interface PredicatePart {
  key: string;
  type: 'operand' | 'path' | 'predicates' | 'predicate';
}

function operand(key: string): PredicatePart {
  return { key, type: 'operand' };
}

/** A value that is not there: different from `undefined`, which a key can hold. */
const missing = Symbol('missing');
type Found = Value | typeof missing;
type Read = (scope: Scope) => Found;
type Test = (scope: Scope) => boolean;

export interface PredicateOptions {
  /** What a predicate comes to that meets a part nobody can judge. Without it evaluating throws. */
  unusable?: boolean;
}

/**
 * Compiles a checked predicate to one closure. No coercion, no deep comparison; a missing side never throws. An operand
 * that is neither path nor literal, or a set that is no list, throws a `StepError` (`predicate_unusable`) when its turn
 * comes: in a loop it would never end.
 */
export function compilePredicate(
  predicate: Predicate,
  { unusable }: PredicateOptions = {},
): Expression<boolean> {
  const references: Reference[] = [];
  const test = compile(predicate, references);
  return {
    language: 'predicate',
    source: JSON.stringify(predicate),
    evaluate: unusable === undefined ? test : (scope) => orUnusable(test, scope, unusable),
    references,
  };
}

const unusableCode = 'predicate_unusable';

function orUnusable(test: Test, scope: Scope, unusable: boolean): boolean {
  try {
    return test(scope);
  } catch (error) {
    if (isLaitError(error) && error.code === unusableCode) return unusable;
    throw error;
  }
}

function refuse(message: string): never {
  throw new StepError({ code: unusableCode, message });
}

function compile(predicate: Predicate, references: Reference[]): Test {
  switch (predicate.op) {
    case 'and': {
      const tests = predicate.args.map((argument) => compile(argument, references));
      return (scope) => tests.every((test) => test(scope));
    }
    case 'or': {
      const tests = predicate.args.map((argument) => compile(argument, references));
      return (scope) => tests.some((test) => test(scope));
    }
    case 'not': {
      const test = compile(predicate.arg, references);
      return (scope) => !test(scope);
    }
    case 'exists': {
      const read = compilePath(predicate.path, references);
      return (scope) => read(scope) !== missing;
    }
    case 'notExists': {
      const read = compilePath(predicate.path, references);
      return (scope) => read(scope) === missing;
    }
    case 'truthy':
    case 'falsy': {
      const read = compileOperand(predicate.value, references);
      const wanted = predicate.op === 'truthy';
      return (scope) => {
        const value = read(scope);
        return (value !== missing && Boolean(value)) === wanted;
      };
    }
    case 'in':
    case 'notIn': {
      const read = compileOperand(predicate.value, references);
      const { set } = predicate;
      const wanted = predicate.op === 'in';
      return (scope) => {
        const value = read(scope);
        if (value === missing) return !wanted;
        if (!Array.isArray(set)) refuse(`the set of '${predicate.op}' is no list`);
        return set.includes(value as JsonValue) === wanted;
      };
    }
    default: {
      const left = compileOperand(predicate.left, references);
      const right = compileOperand(predicate.right, references);
      const compare = comparisons[predicate.op];
      return (scope) => {
        const leftValue = left(scope);
        const rightValue = right(scope);
        return leftValue !== missing && rightValue !== missing && compare(leftValue, rightValue);
      };
    }
  }
}

const comparisons: Record<ComparisonOperator, (left: Value, right: Value) => boolean> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  lt: ordered((left, right) => left < right),
  lte: ordered((left, right) => left <= right),
  gt: ordered((left, right) => left > right),
  gte: ordered((left, right) => left >= right),
};

/** Order exists between two numbers and between two texts (by code unit) only. */
function ordered(compare: (left: number | string, right: number | string) => boolean) {
  return (left: Value, right: Value): boolean =>
    ((typeof left === 'number' && typeof right === 'number') ||
      (typeof left === 'string' && typeof right === 'string')) &&
    compare(left, right);
}

function compileOperand(operandValue: Operand, references: Reference[]): Read {
  if ('literal' in operandValue) {
    const { literal } = operandValue;
    return () => literal;
  }
  if ('path' in operandValue) return compilePath(operandValue.path, references);
  return () => refuse('an operand has neither path nor literal');
}

/** A root exists even when it holds nothing; a step's result exists when the step gave something other than null. */
function compilePath(path: string, references: Reference[]): Read {
  const [root, ...segments] = path.split('.');
  if (!isDynamicRoot(root!)) return () => missing;
  references.push(referenceTo(root, segments));
  if (root === 'stepResults') {
    const [id, ...rest] = segments;
    return (scope) => {
      const result = scope.step(id!);
      return result === undefined || result === null ? missing : follow(result, rest);
    };
  }
  if (root === 'requestContext') return () => missing;
  return (scope) => follow(readRoot(root, scope), segments);
}

function follow(value: Value, segments: readonly string[]): Found {
  const found = lookUp(value, segments);
  return found === absent || found === broken ? missing : found;
}
