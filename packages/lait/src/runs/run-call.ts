import { dialectOf } from '../dialects/index.js';
import type { Snapshot } from '../engine/runtime.js';
import type { Form, PlanCall } from '../plan/plan.js';
import { isObject, type JsonObject, type JsonValue, ownProperty, type Value } from '../values/value.js';

/** Names under which the context of a dynamic run keeps what only that form has. */
const stateKey = 'initial_state';
const requestKey = 'request_context';
const courseKey = 'course';

/** How a run goes that does not simply go from its beginning to its end. */
export interface RunCourse {
  /** Begins behind the snapshot's position. */
  from?: Snapshot;
  /** Pauses behind this node of the top level, unless it is the last one. */
  pauseBehind?: number;
}

export interface ContextParts {
  /** What date expressions need: `reference_time`, `time_zone`. */
  times: JsonObject;
  /** The dynamic form's shared state at the start. */
  state?: JsonObject;
  /** The dynamic form's values that travel along. */
  requestContext?: JsonObject;
  course?: RunCourse;
}

/** What the record of a run keeps as its context. */
export function contextOf(form: Form, { times, state, requestContext, course }: ContextParts): JsonObject {
  if (!dialectOf(form).takesRequestContext) return times;
  return {
    ...times,
    [requestKey]: requestContext ?? {},
    ...(state !== undefined && { [stateKey]: state }),
    ...(course !== undefined && { [courseKey]: course as unknown as JsonObject }),
  };
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

export function courseOf({ context }: { context: JsonObject }): RunCourse {
  const course = ownProperty(context, courseKey);
  return isObject(course) ? (course as unknown as RunCourse) : {};
}

/** The context of a run that shall pause behind a node of the top level; `undefined`: nowhere. */
export function withPause(context: JsonObject, pauseBehind: number | undefined): JsonObject {
  const { pauseBehind: _before, ...course } = courseOf({ context });
  const changed = { ...course, ...(pauseBehind !== undefined && { pauseBehind }) };
  return { ...context, [courseKey]: changed as unknown as JsonObject };
}
