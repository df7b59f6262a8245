import type { Scope } from '../../src/expressions/scope.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';

/** A scope of the graph form with these inputs and outputs. */
export function graphScope(
  parts: { inputs?: JsonObject; outputs?: JsonObject; loop?: Scope['loop']; context?: JsonObject } = {},
): Scope {
  const { inputs = {}, outputs = {}, loop = null, context = {} } = parts;
  return {
    value: null,
    inputs,
    step: (id) => (Object.hasOwn(outputs, id) ? (outputs[id] as JsonValue) : undefined),
    hasStep: (id) => Object.hasOwn(outputs, id),
    allSteps: () => outputs,
    loop,
    state: {},
    context,
  };
}
