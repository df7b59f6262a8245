import type { JsonObject, JsonValue, Value } from '../values/value.js';

/** What the innermost loop shows its body. */
export interface LoopView {
  /** Counts from 0 (`for_each`, `while`, `until`) or from 1 (`iteration` of the graph form). */
  index: number;
  /** The element, in `for_each` only. */
  item?: Value;
  /** The graph form's loop: the state that entered this iteration and the constant input. */
  state?: JsonObject;
  input?: JsonObject;
}

/** What expressions see. One shape for all forms; each language names its parts as its specification says. */
export interface Scope {
  /** The value at hand: `.` in jq, `input` in templates, `inputData` in the dynamic form. */
  readonly value: Value;
  /** The workflow's inputs: `inputs`, `$inputs`, `initData`, `run.inputs`. */
  readonly inputs: Value;
  /** A recorded step's value; `undefined` with `hasStep(id) === false` when it was not recorded. */
  step(id: string): Value;
  hasStep(id: string): boolean;
  /** All recorded steps as one object: built only for a bare `$steps` or `{{ steps }}`. */
  allSteps(): JsonObject;
  readonly loop: LoopView | null;
  /** The dynamic form's shared state. */
  readonly state: JsonObject;
  /** Values handed along with the run: `requestContext`, or the graph form's `run.context`. Flat keys. */
  readonly context: Readonly<Record<string, JsonValue>>;
  /** Told of what a person should know although nothing failed, e.g. digits that `fromjson` lost. */
  readonly warn?: (message: string) => void;
}

/** A scope without a workflow around it: nothing but a value, and what travels along. */
export function scopeOf(value: Value, context: Scope['context'] = {}): Scope {
  return {
    value,
    inputs: undefined,
    step: () => undefined,
    hasStep: () => false,
    allSteps: () => ({}),
    loop: null,
    state: {},
    context,
  };
}
