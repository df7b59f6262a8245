import type { EffectContext } from '../engine/runtime.js';
import { copyProgramValue } from '../values/program-value.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { StepContext } from './kind.js';
import type { DirectToolContext } from './services.js';

/** What `suspend` throws, so that nothing of the tool behind it runs. */
class Suspended extends Error {
  constructor() {
    super('the tool waits for an answer');
  }
}

/** One call of a tool by a step: what the tool sees of the run, and what it did beside its result. */
export class DirectToolCall implements DirectToolContext {
  readonly runId: string;
  readonly requestContext: Readonly<Record<string, JsonValue>>;
  readonly resume: JsonValue | undefined;
  /** Set once the tool has asked to wait; it counts even when the tool swallowed what `suspend` threw. */
  suspension: { payload: JsonValue | undefined } | undefined;
  #written: JsonObject | undefined;
  readonly #before: JsonObject;
  readonly #effect: EffectContext;

  constructor(
    effect: EffectContext,
    private readonly step: StepContext,
  ) {
    this.#effect = effect;
    this.#before = step.scope.state;
    this.runId = step.runId;
    this.requestContext = step.scope.context;
    this.resume = effect.resume;
  }

  get signal(): AbortSignal {
    return this.#effect.signal;
  }

  get idempotencyKey(): string {
    return this.#effect.idempotencyKey;
  }

  /** The state with what this call wrote; a copy, to be changed through `setState` only. */
  get state(): JsonObject {
    return copyProgramValue(this.stateAfter ?? this.#before) as JsonObject;
  }

  /** The state that the step leaves behind, when the tool wrote any. */
  get stateAfter(): JsonObject | undefined {
    return this.#written === undefined ? undefined : { ...this.#before, ...this.#written };
  }

  // Given out as functions of their own, since tools take them out of the context; made only for tools that do.
  get setState(): (next: JsonObject) => void {
    return (next) => this.#write(next);
  }

  get suspend(): (payload?: JsonValue) => Promise<never> {
    return (payload) => this.#suspend(payload);
  }

  get emit(): (event: Parameters<StepContext['emit']>[0]) => void {
    return (event) => {
      if (this.step.listening) this.step.emit(event);
    };
  }

  /** Keys are written over the ones there; none is ever removed. */
  #write(next: JsonObject): void {
    this.#written = { ...this.#written, ...(copyProgramValue(next) as JsonObject) };
  }

  #suspend(payload?: JsonValue): Promise<never> {
    this.suspension = { payload: copyProgramValue(payload) };
    const suspended = Promise.reject(new Suspended());
    // A tool may forget to await it, which must not end the process.
    suspended.catch(() => {});
    return suspended;
  }
}
