import { jsonEqual } from '../values/json-equal.js';
import type { Misnamed } from '../values/misnamed.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import type { Expression } from './expression.js';
import {
  lookUpReference,
  parseTypedReference,
  resolveReference,
  staticReference,
  type TypedReference,
} from './typed-reference.js';

const operators = ['equals', 'exists', 'in'] as const;
export type ConditionOperator = (typeof operators)[number];

/** A checked condition of an edge or a loop. Source: graph facts §4. */
export interface Condition {
  reference: TypedReference;
  operator: ConditionOperator;
  value?: JsonValue;
}

export type ConditionIssueCode =
  | 'condition_shape'
  | 'condition_from_path'
  | 'condition_operator'
  | 'condition_value'
  | 'condition_value_array'
  | 'reference_scope';

export interface ConditionIssue {
  code: ConditionIssueCode;
  path: readonly string[];
  message: string;
  misnamed?: Misnamed;
}

/** Checks a condition and reports every problem; other keys are left alone. */
export function readCondition(value: JsonValue | undefined): {
  condition?: Condition;
  issues: ConditionIssue[];
} {
  if (!isObject(value)) {
    return {
      issues: [
        {
          code: 'condition_shape',
          path: [],
          message: 'a condition must be an object {from_path, operator, value}',
        },
      ],
    };
  }
  const issues: ConditionIssue[] = [];
  const path = ownProperty(value, 'from_path');
  let reference: TypedReference | undefined;
  if (typeof path !== 'string' || path.trim() === '') {
    issues.push({
      code: 'condition_from_path',
      path: ['from_path'],
      message: 'from_path must be a path such as run.inputs.approved',
    });
  } else {
    const parsed = parseTypedReference(path);
    if ('reference' in parsed) reference = parsed.reference;
    else
      issues.push({
        code: 'reference_scope',
        path: ['from_path'],
        message: parsed.problem,
        ...(parsed.misnamed && { misnamed: parsed.misnamed }),
      });
  }
  const operator = ownProperty(value, 'operator');
  if (!isOperator(operator)) {
    issues.push({
      code: 'condition_operator',
      path: ['operator'],
      message: `operator must be one of ${operators.join(', ')}`,
      ...(typeof operator === 'string' && { misnamed: { name: operator, known: operators } }),
    });
    return { issues };
  }
  issues.push(...valueIssues(value, operator));
  if (reference === undefined || issues.length > 0) return { issues };
  const condition: Condition = { reference, operator };
  if (operator !== 'exists') condition.value = value.value!;
  return { condition, issues };
}

function isOperator(value: JsonValue | undefined): value is ConditionOperator {
  return (operators as readonly unknown[]).includes(value);
}

function valueIssues(value: JsonObject, operator: ConditionOperator): ConditionIssue[] {
  if (operator === 'exists') return [];
  if (!Object.hasOwn(value, 'value'))
    return [{ code: 'condition_value', path: [], message: `'${operator}' needs 'value'` }];
  if (operator === 'in' && !Array.isArray(value.value)) {
    return [{ code: 'condition_value_array', path: ['value'], message: "'in' needs a list as 'value'" }];
  }
  return [];
}

/**
 * Compiles a condition. `missing` says what a path without a value means: `false` on edges, a `StepError` where a
 * loop asks whether to go on.
 */
export function compileCondition(condition: Condition, missing: 'false' | 'error'): Expression<boolean> {
  const { reference, operator, value } = condition;
  const shown = operator === 'exists' ? '' : ` ${JSON.stringify(value)}`;
  return {
    language: 'reference',
    source: `${reference.source} ${operator}${shown}`,
    references: [staticReference(reference)],
    evaluate(scope) {
      if (missing === 'error') return holds(operator, resolveReference(reference, scope), value);
      const found = lookUpReference(reference, scope);
      return found.found && holds(operator, found.value, value);
    },
  };
}

function holds(operator: ConditionOperator, actual: JsonValue, value: JsonValue | undefined): boolean {
  if (operator === 'exists') return actual !== null;
  if (operator === 'equals') return jsonEqual(actual, value);
  return (value as JsonValue[]).some((choice) => jsonEqual(choice, actual));
}
