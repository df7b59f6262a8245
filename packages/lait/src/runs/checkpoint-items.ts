import { createHash } from 'node:crypto';
import type { ItemLog } from '../kinds/kind.js';
import { canonicalJson } from '../values/canonical-json.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { KeptItems } from './checkpoint.js';

/**
 * Keeps the results of the items of the top-level `for_each` under way. What an earlier pass has finished is given back
 * only for the same list; a second pass in this run (a retry) begins anew.
 */
export class CheckpointItems implements ItemLog {
  #kept: KeptItems | undefined;
  /** What the resumed record holds, until the first loop has asked for it. */
  #earlier: KeptItems | undefined;
  #address: string | undefined;

  /** `onChange` is told when there is more to be stored. */
  constructor(
    earlier: KeptItems | undefined,
    private readonly onChange: () => void,
  ) {
    this.#earlier = earlier;
    this.#kept = earlier;
  }

  /** What to store now. */
  get kept(): KeptItems | undefined {
    return this.#kept;
  }

  open(address: string, items: readonly JsonValue[]): { results: Map<number, JsonValue>; steps: JsonObject } {
    const digest = createHash('sha256')
      .update(canonicalJson(items as JsonValue[]))
      .digest('hex');
    const earlier = this.#earlier?.digest === digest ? this.#earlier : undefined;
    this.#earlier = undefined;
    this.#address = address;
    this.#kept = earlier ?? { digest, results: {} };
    const results = Object.entries(this.#kept.results).map(
      ([index, value]) => [Number(index), value] as const,
    );
    return { results: new Map(results), steps: this.#kept.steps ?? {} };
  }

  finished(address: string, value: Value, steps?: JsonObject): void {
    if (this.#kept === undefined || this.#address === undefined) return;
    const index = address.startsWith(`${this.#address}/`) ? address.slice(this.#address.length + 1) : '';
    if (!/^\d+$/.test(index)) return;
    (this.#kept.results as JsonObject)[index] = value ?? null;
    if (steps !== undefined) this.#kept = { ...this.#kept, steps };
    this.onChange();
  }

  /** The loop has ended: its value is recorded as a whole. */
  clear(): void {
    this.#kept = undefined;
    this.#address = undefined;
  }
}
