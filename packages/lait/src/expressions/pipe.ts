import { StepError } from '../errors/errors.js';
import type { Misnamed } from '../values/misnamed.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import { type PipeOperator, pipeOperators } from './pipe-operators.js';

/** Most operators behind one reference. Source: graph facts §1.11. */
const maxPipeSteps = 20;

/** One checked step of a pipe; `arguments` holds the defaults of what was left out. */
export interface PipeStep {
  operator: PipeOperator;
  arguments: JsonObject;
}

export interface PipeProblem {
  path: readonly (string | number)[];
  message: string;
  misnamed?: Misnamed;
}

/** Checks the steps of a pipe and reports every problem. Source: graph facts §3.6. */
export function readPipe(pipe: readonly JsonValue[]): { steps: PipeStep[]; problems: PipeProblem[] } {
  const steps: PipeStep[] = [];
  const problems: PipeProblem[] = [];
  if (pipe.length === 0) problems.push({ path: [], message: 'a pipe needs at least one step' });
  if (pipe.length > maxPipeSteps)
    problems.push({ path: [], message: `a pipe may have ${maxPipeSteps} steps at most, not ${pipe.length}` });
  for (const [index, step] of pipe.entries()) {
    const report = (message: string, ...behind: string[]) =>
      problems.push({ path: [index, ...behind], message });
    if (!isObject(step)) {
      report('a step must be an object {op, args}');
      continue;
    }
    for (const key of Object.keys(step))
      if (key !== 'op' && key !== 'args') report(`a step has only 'op' and 'args', not '${key}'`, key);
    const operator = typeof step.op === 'string' ? pipeOperators.get(step.op) : undefined;
    if (operator === undefined) {
      problems.push({
        path: [index, 'op'],
        message: `unknown operator ${JSON.stringify(step.op) ?? '(missing)'}; known are ${[...pipeOperators.keys()].join(', ')}`,
        ...(typeof step.op === 'string' && { misnamed: { name: step.op, known: pipeOperators.keys() } }),
      });
      continue;
    }
    const given = Object.hasOwn(step, 'args') && step.args !== null ? step.args! : {};
    if (!isObject(given)) {
      report('args must be an object', 'args');
      continue;
    }
    const read = readArguments(operator, given);
    for (const problem of read.problems) report(`${operator.name}: ${problem}`, 'args');
    steps.push({ operator, arguments: read.values });
  }
  return { steps, problems };
}

function readArguments(
  operator: PipeOperator,
  given: JsonObject,
): { values: JsonObject; problems: string[] } {
  const problems: string[] = [];
  const values: JsonObject = {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(operator.arguments, name)) problems.push(`has no argument '${name}'`);
    if (holdsComputedPart(given[name]!)) problems.push(`'${name}' must be a literal, without $ref or $expr`);
  }
  for (const [name, argument] of Object.entries(operator.arguments)) {
    const present = Object.hasOwn(given, name);
    // An explicit null means "not given", except where null is a value like any other.
    const value = present ? given[name]! : undefined;
    if (value === undefined || (value === null && argument.nullable !== true)) {
      if (argument.required === true) problems.push(`needs '${name}': ${argument.expected}`);
      else if (argument.default !== undefined) values[name] = argument.default;
    } else if (!argument.accepts(value)) problems.push(`'${name}' must be ${argument.expected}`);
    else values[name] = value;
  }
  if (problems.length === 0) problems.push(...(operator.check?.(values) ?? []));
  return { values, problems };
}

function holdsComputedPart(value: JsonValue): boolean {
  const pending: JsonValue[] = [value];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (Array.isArray(item)) pending.push(...item);
    else if (isObject(item)) {
      if (Object.hasOwn(item, '$ref') || Object.hasOwn(item, '$expr')) return true;
      pending.push(...Object.values(item));
    }
  }
  return false;
}

/** Runs a checked pipe. Throws a `StepError` with code `pipe_failed` when a value does not suit an operator. */
export function applyPipe(pipe: readonly PipeStep[], value: JsonValue, source: string): JsonValue {
  let current = value;
  for (const step of pipe) {
    const result = step.operator.apply(current, step.arguments);
    if ('problem' in result) {
      throw new StepError({
        code: 'pipe_failed',
        message: `pipe behind ${source}: ${step.operator.name} ${result.problem}`,
        details: { reference: source, operator: step.operator.name },
      });
    }
    current = result.value;
  }
  return current;
}
