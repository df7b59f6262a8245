import { compile, JqCompileError, JqRuntimeError, lazyObject, type Node } from '@lait/jq';
import { StepError } from '../errors/errors.js';
import type { JsonValue } from '../values/value.js';
import type { Expression, Reference, ReferenceRoot } from './expression.js';
import type { Scope } from './scope.js';
import { ExpressionSyntaxError } from './syntax-error.js';

/** The variables of a jq expression are the roots of the scope. Source: steps seed, jq 式. */
const variables = ['steps', 'inputs', 'loop'] as const satisfies readonly ReferenceRoot[];

/**
 * Compiles a jq expression that must give exactly one value. `$steps.x` is a look-up of one recorded step; what was
 * not recorded or declared is null. Throws an `ExpressionSyntaxError` with the place; evaluating throws a `StepError`
 * (`jq_no_value`, `jq_many_values`, `jq_failed`) that names the expression.
 */
export function compileJq(source: string): Expression<JsonValue> {
  const program = compileProgram(source);
  const readsVariables = program.references.length > 0;
  return {
    language: 'jq',
    source,
    references: program.references.map(({ variable, path, range }): Reference => {
      return { root: variable as ReferenceRoot, path, start: range.start, end: range.end };
    }),
    evaluate(scope: Scope): JsonValue {
      const { warn } = scope;
      const options =
        warn === undefined
          ? undefined
          : {
              onPrecisionLoss: (literal: string) =>
                warn(`the integer ${literal} loses digits in ${name(source)}`),
            };
      const value = (scope.value ?? null) as JsonValue;
      try {
        return finite(program.one(value, readsVariables ? variablesOf(scope) : undefined, options));
      } catch (error) {
        throw failure(source, error);
      }
    },
  };
}

/**
 * Where an expression gives what an assignment gives: `.a = 1` is the whole input with another `a`, and true whatever
 * `.a` was. Undefined when it gives something else.
 */
export function assignmentIn(source: string): { start: number; end: number } | undefined {
  return source.includes('=') ? assignmentOf(compileProgram(source).ast) : undefined;
}

function assignmentOf(node: Node): { start: number; end: number } | undefined {
  switch (node.type) {
    case 'assignment':
      return node.operator === '=' ? node.range : undefined;
    case 'logical':
      return assignmentOf(node.left) ?? assignmentOf(node.right);
    case 'pipe': {
      const last = node.stages.at(-1)!;
      // `| not` asks about what stands before it.
      return assignmentOf(last.type === 'call' && last.name === 'not' ? node.stages.at(-2)! : last);
    }
    default:
      return undefined;
  }
}

function compileProgram(source: string) {
  try {
    return compile(source, { variables });
  } catch (error) {
    if (!(error instanceof JqCompileError)) throw error;
    throw new ExpressionSyntaxError(lowerFirst(error.message), error.range.start, error.range.end);
  }
}

function variablesOf(scope: Scope) {
  return {
    steps: lazyObject({ get: (id) => scope.step(id) as JsonValue | undefined, all: () => scope.allSteps() }),
    inputs: (scope.inputs ?? null) as JsonValue,
    loop: scope.loop as unknown as JsonValue,
  };
}

/** As jq prints them: not a number is null, infinity the largest number. */
function finite(value: JsonValue): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  return Number.isNaN(value) ? null : Math.sign(value) * Number.MAX_VALUE;
}

const codes: Readonly<Record<string, string>> = { no_output: 'jq_no_value', many_outputs: 'jq_many_values' };

function failure(source: string, error: unknown): unknown {
  if (!(error instanceof JqRuntimeError)) return error;
  return new StepError({
    code: codes[error.code] ?? 'jq_failed',
    message: `${name(source)}: ${error.code === 'error' ? error.message : lowerFirst(error.message)}`,
    details: { reason: error.code },
  });
}

function name(source: string): string {
  const line = source.trim().replace(/\s+/g, ' ');
  return `jq '${line.length > 80 ? `${line.slice(0, 79)}…` : line}'`;
}

function lowerFirst(text: string): string {
  return text === '' ? text : text[0]!.toLowerCase() + text.slice(1);
}
