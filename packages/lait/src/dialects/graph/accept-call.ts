import { UsageError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import {
  contextTimeZone,
  evaluateDateExpression,
  readDateExpression,
  readInstant,
} from '../../expressions/date-expression.js';
import { isTimeZone } from '../../expressions/date-expression-zone.js';
import { type Scope, scopeOf } from '../../expressions/scope.js';
import type { PlanCall, PlanStart } from '../../plan/plan.js';
import { checkGraphValue, describeProblems, withDefaults } from '../../schema/graph-value.js';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  type Value,
} from '../../values/value.js';
import { dateTargetProblem } from './check-declared.js';

/**
 * Completes and checks the inputs of a graph: date expressions are computed from the run's reference time, defaults
 * are filled in, and everything must fit the `inputs_schema`. The inputs are `inputs`, or the piped value when there are
 * none.
 * Throws a `UsageError` with code `inputs_invalid`. Source: graph facts §3.5, §5.
 */
export function acceptGraphCall(schema: JsonObject, call: PlanCall): PlanStart {
  const given = inputsOf(call);
  if (!isObject(given))
    throw refused('a graph takes named inputs, an object (on the command line --input NAME=VALUE)');
  const timeZone = contextTimeZone(call.context ?? {});
  if (!isTimeZone(timeZone)) throw refused(`time_zone '${timeZone}' is no known time zone`);
  const context = { ...call.context, reference_time: referenceTime(call.context?.reference_time, timeZone) };
  const scope = scopeOf(null, context);
  const inputs = withDefaults(schema, resolveDates(given, schema, scope, 'inputs'));
  const problems = checkGraphValue(schema, inputs);
  if (problems.length > 0) throw refused(describeProblems('inputs', problems));
  return { value: inputs, inputs, state: call.state ?? {}, context };
}

/** Named inputs are the input; without any it is the piped value. */
function inputsOf({ inputs, value }: PlanCall): Value {
  const unnamed = inputs === undefined || (isObject(inputs) && Object.keys(inputs).length === 0);
  return unnamed ? (value ?? inputs ?? {}) : inputs;
}

/** The frozen instant of the run. Default: now. Source: graph facts §3.5. */
function referenceTime(given: JsonValue | undefined, timeZone: string): string {
  if (given === undefined || given === null) return new Date().toISOString();
  const instant = typeof given === 'string' ? readInstant(given, timeZone) : undefined;
  if (instant === undefined) throw refused(`reference_time ${JSON.stringify(given)} is no date or time`);
  return new Date(instant).toISOString();
}

/** Replaces `{"$expr": …}`; in inputs its anchor can only be the reference time. */
function resolveDates(
  value: JsonValue,
  schema: JsonValue | undefined,
  scope: Scope,
  place: string,
): JsonValue {
  if (Array.isArray(value)) {
    const items = isObject(schema) ? ownProperty(schema, 'items') : undefined;
    return value.map((item, index) => resolveDates(item, items, scope, `${place}[${index}]`));
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, '$expr')) return resolveDate(value, schema, scope, place);
  const properties = isObject(schema) ? ownProperty(schema, 'properties') : undefined;
  const resolved: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const child = isObject(properties) ? ownProperty(properties, key) : undefined;
    setOwnProperty(resolved, key, resolveDates(item, child, scope, `${place}.${key}`));
  }
  return resolved;
}

function resolveDate(
  value: JsonObject,
  schema: JsonValue | undefined,
  scope: Scope,
  place: string,
): JsonValue {
  if (Object.keys(value).length > 1) throw refused(`${place}: an object with $expr may have no other keys`);
  const { expression, problems } = readDateExpression(value.$expr!);
  if (expression === undefined) throw refused(`${place}: ${problems.join('; ')}`);
  if (expression.anchor !== 'now' && expression.anchor.root !== 'reference_time') {
    throw refused(`${place}: in inputs the anchor can only be 'now' or run.context.reference_time`);
  }
  const problem = isObject(schema) ? dateTargetProblem(schema, expression.result) : undefined;
  if (problem !== undefined) throw refused(`${place}: ${problem}`);
  try {
    return evaluateDateExpression(expression, scope);
  } catch (error) {
    if (isLaitError(error)) throw refused(`${place}: ${error.message}`);
    throw error;
  }
}

function refused(message: string): UsageError {
  return new UsageError({ code: 'inputs_invalid', message });
}
