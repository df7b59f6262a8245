import { dialectOf } from '../dialects/index.js';
import type { Snapshot } from '../engine/runtime.js';
import type { Services } from '../kinds/services.js';
import type { Form, PlanCall } from '../plan/plan.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
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

/** What a run was given to spend. */
const limitsKey = 'limits';

export interface ContextParts {
  /** What date expressions need: `reference_time`, `time_zone`. */
  times: JsonObject;
  /** The dynamic form's shared state at the start. */
  state?: JsonObject;
  /** The dynamic form's values that travel along. */
  requestContext?: JsonObject;
  course?: RunCourse;
  /** What its caller lets it spend, instead of what workflow and configuration say. */
  limits?: SpendingLimits;
}

/** What the record of a run keeps as its context. */
export function contextOf(form: Form, parts: ContextParts): JsonObject {
  const { state, requestContext, course, limits } = parts;
  const times = { ...parts.times, ...(limits !== undefined && { [limitsKey]: limits as JsonObject }) };
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
  const { value, inputs } = record;
  const { [limitsKey]: _limits, ...context } = record.context;
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

/** What the caller of a run lets it spend; undefined when he has not said. */
export function limitsOf({ context }: { context: JsonObject }): SpendingLimits | undefined {
  const limits = ownProperty(context, limitsKey);
  return isObject(limits) ? (limits as SpendingLimits) : undefined;
}

/** The same services, within the limits that a run was given; those that are given now win, one by one. */
export function withinLimits(services: Services, kept: SpendingLimits | undefined): Services {
  if (kept === undefined) return services;
  return { ...services, limits: { ...services.limits, given: { ...kept, ...services.limits?.given } } };
}
