import type { LoopView, Scope } from '../expressions/scope.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { RecordedSteps } from './recorded-steps.js';

/** The dynamic form's state, shared by everything that runs in one branch. */
export interface StateHolder {
  current: JsonObject;
}

/** The scope of one branch at one place. `value` is set anew before each evaluation: a branch is strictly sequential. */
export class EngineScope implements Scope {
  value: Value = null;

  constructor(
    readonly inputs: Value,
    readonly steps: RecordedSteps,
    readonly loop: LoopView | null,
    readonly holder: StateHolder,
    readonly context: Readonly<Record<string, JsonValue>>,
    readonly warn?: (message: string) => void,
  ) {}

  step(id: string): Value {
    return this.steps.get(id);
  }

  hasStep(id: string): boolean {
    return this.steps.has(id);
  }

  allSteps(): JsonObject {
    return this.steps.toObject();
  }

  get state(): JsonObject {
    return this.holder.current;
  }

  /** The same scope inside a loop, or on another layer of recorded steps. */
  derive(changes: { loop?: LoopView | null; steps?: RecordedSteps }): EngineScope {
    return new EngineScope(
      this.inputs,
      changes.steps ?? this.steps,
      changes.loop === undefined ? this.loop : changes.loop,
      this.holder,
      this.context,
      this.warn,
    );
  }
}
