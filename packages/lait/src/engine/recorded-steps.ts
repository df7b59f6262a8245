import { type JsonObject, setOwnProperty, type Value } from '../values/value.js';

/**
 * The values recorded under step ids. A layer on top of another isolates an attempt, a branch or an iteration:
 * opening one costs nothing, and recording costs the same in step 5 and in step 5,000.
 */
export class RecordedSteps {
  readonly #own = new Map<string, Value>();
  readonly #below: RecordedSteps | undefined;

  constructor(below?: RecordedSteps) {
    this.#below = below;
  }

  static from(values: JsonObject): RecordedSteps {
    const steps = new RecordedSteps();
    for (const key of Object.keys(values)) steps.#own.set(key, values[key]);
    return steps;
  }

  record(id: string, value: Value): void {
    this.#own.set(id, value);
  }

  has(id: string): boolean {
    return this.#own.has(id) || (this.#below?.has(id) ?? false);
  }

  get(id: string): Value {
    return this.#own.has(id) ? this.#own.get(id) : this.#below?.get(id);
  }

  /** Moves what was recorded in this layer into the one below: the attempt it isolated has succeeded. */
  settle(): void {
    for (const [id, value] of this.#own) this.#below?.record(id, value);
  }

  /** Everything visible as one object, in the order of recording. */
  toObject(): JsonObject {
    const object = this.#below?.toObject() ?? {};
    for (const [id, value] of this.#own) if (value !== undefined) setOwnProperty(object, id, value);
    return object;
  }
}
