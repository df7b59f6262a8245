import type { LoopView, Scope } from '../../src/expressions/scope.js';
import type { JsonObject, JsonValue, Value } from '../../src/values/value.js';

/** A scope for tests; `built` counts how often all steps were asked for as one object. */
export function scopeOf(parts: {
  value?: Value;
  steps?: JsonObject;
  inputs?: Value;
  loop?: LoopView | null;
}): Scope & { built: number } {
  const steps = new Map<string, JsonValue>(Object.entries(parts.steps ?? {}));
  return {
    built: 0,
    value: 'value' in parts ? parts.value : null,
    inputs: parts.inputs ?? {},
    loop: parts.loop ?? null,
    state: {},
    context: {},
    step: (id) => steps.get(id),
    hasStep: (id) => steps.has(id),
    allSteps() {
      this.built += 1;
      return Object.fromEntries(steps);
    },
  };
}
