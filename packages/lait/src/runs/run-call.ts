import { dialectOf } from '../dialects/index.js';
import type { Form, PlanCall } from '../plan/plan.js';
import { isObject, type JsonObject, type JsonValue, ownProperty, type Value } from '../values/value.js';

/** Names under which the context of a dynamic run keeps what only that form has. */
const stateKey = 'initial_state';
const requestKey = 'request_context';

export interface ContextParts {
  /** What date expressions need: `reference_time`, `time_zone`. */
  times: JsonObject;
  /** The dynamic form's shared state at the start. */
  state?: JsonObject;
  /** The dynamic form's values that travel along. */
  requestContext?: JsonObject;
}

/** What the record of a run keeps as its context. */
export function contextOf(form: Form, { times, state, requestContext }: ContextParts): JsonObject {
  if (!dialectOf(form).takesRequestContext) return times;
  return { ...times, [requestKey]: requestContext ?? {}, ...(state !== undefined && { [stateKey]: state }) };
}

/** How a recorded run calls its plan. A request context holds what its sender gave and nothing else. */
export function callOf(record: { value?: Value; inputs: JsonValue; context: JsonObject }): PlanCall {
  const { value, inputs, context } = record;
  const state = ownProperty(context, stateKey);
  const request = ownProperty(context, requestKey);
  return {
    value,
    inputs,
    ...(isObject(state) && { state: state as JsonObject }),
    context: isObject(request) ? (request as JsonObject) : context,
  };
}
