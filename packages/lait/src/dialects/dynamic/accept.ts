import { UsageError } from '../../errors/errors.js';
import type { PlanCall, PlanStart } from '../../plan/plan.js';
import { compileDefinitionSchema, describeProblems, type StripResult } from '../../schema/strip.js';
import { isObject, type JsonObject, type Value } from '../../values/value.js';
import type { UncheckedDefinition } from './definition.js';

export interface AcceptOptions {
  strict: boolean;
  /** Tools of the workflow without an input or output schema: with one of them no run can start. */
  unusableTools: ReadonlySet<string>;
}

/**
 * What a run of the definition takes: the input checked and stripped by `inputSchema`, the state by `stateSchema`, the
 * request context checked by `requestContextSchema`. For a nested call only the input is checked: the rest came
 * through the start of the run. Source: dynamic facts §4.
 */
export function acceptCall(
  definition: UncheckedDefinition,
  { strict, unusableTools }: AcceptOptions,
): (call: PlanCall) => PlanStart {
  const input = compileDefinitionSchema(definition.inputSchema, { strict });
  const state = compileDefinitionSchema(definition.stateSchema, { strict });
  const context = compileDefinitionSchema(definition.requestContextSchema, { strict });
  const id = String(definition.id);
  return (call) => {
    if (unusableTools.size > 0) refuseTools(unusableTools);
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

/** The first sentence is the reference's. */
function refuseTools(names: ReadonlySet<string>): never {
  const named = [...names].map((name) => `'${name}'`).join(', ');
  throw new UsageError({
    code: 'tool_without_schema',
    message: `Tool must have input and output schemas defined: give ${named} an inputSchema and an outputSchema ({} accepts anything)`,
  });
}
