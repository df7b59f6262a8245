import { compile, JqCompileError, JqRuntimeError, lazyObject } from '@lait/jq';
import { StepError } from '../errors/errors.js';
import type { JsonValue } from '../values/value.js';
import type { Expression, Reference, ReferenceRoot } from './expression.js';
import type { Scope } from './scope.js';
import { ExpressionSyntaxError } from './syntax-error.js';

/** The variables of a jq expression, in the order in which they are handed over. Source: steps seed, jq 式. */
const variables = ['steps', 'inputs', 'loop'] as const;

/**
 * Compiles a jq expression that must give exactly one value. `$steps.x` is a look-up of one recorded step; what was
 * not recorded or declared is null. Throws an `ExpressionSyntaxError` with the place; evaluating throws a `StepError`
 * (`jq_failed`, `jq_no_value`, `jq_many_values`) that names the expression.
 */
export function compileJq(source: string): Expression<JsonValue> {
  const program = compileProgram(source);
  return {
    language: 'jq',
    source,
    references: referencesOf(program.references),
    evaluate(scope: Scope): JsonValue {
      try {
        return program.one((scope.value ?? null) as JsonValue, { variables: variablesOf(scope) });
      } catch (error) {
        throw failure(source, error);
      }
    },
  };
}

function compileProgram(source: string) {
  try {
    return compile(source, { variables });
  } catch (error) {
    if (!(error instanceof JqCompileError)) throw error;
    throw new ExpressionSyntaxError(error.message, error.range.start, error.range.end);
  }
}

function variablesOf(scope: Scope) {
  return {
    steps: lazyObject({
      get: (id) => scope.step(id) ?? null,
      all: () => scope.allSteps(),
    }),
    inputs: (scope.inputs ?? null) as JsonValue,
    loop: scope.loop as unknown as JsonValue,
  };
}

function referencesOf(references: ReturnType<typeof compile>['references']): Reference[] {
  return references.flatMap(({ variable, path, range }): Reference[] => {
    const root = roots[variable ?? ''];
    return root === undefined ? [] : [{ root, path, start: range.start, end: range.end }];
  });
}

const roots: Readonly<Record<string, ReferenceRoot>> = {
  '': 'value',
  steps: 'steps',
  inputs: 'inputs',
  loop: 'loop',
};

const codes: Readonly<Record<string, string>> = { no_output: 'jq_no_value', many_outputs: 'jq_many_values' };

function failure(source: string, error: unknown): unknown {
  if (!(error instanceof JqRuntimeError)) return error;
  return new StepError({
    code: codes[error.code] ?? 'jq_failed',
    message: `jq expression '${shorten(source)}': ${error.message}`,
    details: { reason: error.code },
  });
}

function shorten(source: string): string {
  const line = source.trim().replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
