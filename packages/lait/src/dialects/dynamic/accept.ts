import { UsageError } from '../../errors/errors.js';
import type { PlanCall, PlanStart } from '../../plan/plan.js';
import { compileDefinitionSchema, describeProblems, type StripResult } from '../../schema/strip.js';
import { isObject, type JsonObject, type Value } from '../../values/value.js';
import type { UncheckedDefinition } from './definition.js';

export interface AcceptOptions {
  strict: boolean;
  /** True when a tool of the workflow has no output schema: no run can start. */
  unusable: boolean;
}

/**
 * What a run of the definition takes: the input checked and stripped by `inputSchema`, the state by `stateSchema`, the
 * request context checked by `requestContextSchema`. For a nested call only the input is checked: the rest came
 * through the start of the run. Source: dynamic facts §4.
 */
export function acceptCall(
  definition: UncheckedDefinition,
  { strict, unusable }: AcceptOptions,
): (call: PlanCall) => PlanStart {
  const input = compileDefinitionSchema(definition.inputSchema, { strict });
  const state = compileDefinitionSchema(definition.stateSchema, { strict });
  const context = compileDefinitionSchema(definition.requestContextSchema, { strict });
  const id = String(definition.id);
  return (call) => {
    if (unusable) refuse('tool_without_schema', 'Tool must have input and output schemas defined');
    const inputTitle = call.nested === true ? 'Step input validation failed' : 'Invalid input data';
    const value = accepted(input(inputOf(call)), 'input_invalid', inputTitle);
    if (call.nested === true)
      return { value, inputs: value, state: call.state ?? {}, context: call.context ?? {} };
    const given: Value = call.state ?? {};
    const start = accepted(
      isObject(given) ? state(given) : notAnObject(),
      'state_invalid',
      'Invalid initial data',
    );
    accepted(
      context({ ...call.context }),
      'request_context_invalid',
      `Request context validation failed for workflow '${id}'`,
    );
    return { value, inputs: value, state: start as JsonObject, context: call.context ?? {} };
  };
}

/** Named inputs are the input; without any it is the piped value. */
function inputOf({ value, inputs }: PlanCall): Value {
  const named =
    inputs !== undefined && !(isObject(inputs) && Object.keys(inputs).length === 0 && value !== undefined);
  return named ? inputs : value;
}

function accepted(result: StripResult, code: string, title: string): Value {
  if (result.ok) return result.value;
  const problems = result.problems.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new UsageError({
    code,
    message: `${title}: \n${describeProblems(result.problems)}`,
    details: { problems },
  });
}

function notAnObject(): StripResult {
  return { ok: false, problems: [{ path: [], message: 'Invalid input: expected object' }] };
}

function refuse(code: string, message: string): never {
  throw new UsageError({ code, message });
}
