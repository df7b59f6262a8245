import { StepError, TimeoutError } from '../errors/errors.js';
import type { LaitError } from '../errors/lait-error.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { Address } from './runtime.js';

/** What a model call came to. */
export interface Spent {
  /** Null when the server did not say. */
  tokens: number | null;
  /** Null when the price is not known. */
  cost: number | null;
}

/** What the model calls of a run, or of one child workflow, may still spend. A call is counted when it begins. */
export class Budget {
  #calls = 0;
  #tokens = 0;
  #cost = 0;
  /** The label of a step whose server reported no tokens. */
  #uncounted: string | undefined;

  constructor(
    readonly limits: SpendingLimits,
    /** The workflow it belongs to, for messages. */
    private readonly workflow: string,
    /** The place that set it: only there its end is an ordinary failure. */
    private readonly place: Address,
  ) {}

  /** Why a call of the step must not begin; undefined when it may. `priced`: whether its cost will be known. */
  refusal(label: string, priced: boolean): LaitError | undefined {
    const { max_model_calls, max_tokens, max_cost } = this.limits;
    if (max_model_calls !== undefined && this.#calls >= max_model_calls)
      return this.#reached('max_model_calls', label);
    if (max_tokens !== undefined && this.#tokens >= max_tokens) return this.#reached('max_tokens', label);
    if (max_cost !== undefined && this.#cost >= max_cost) return this.#reached('max_cost', label);
    if (max_cost !== undefined && !priced) {
      return this.#uncountable(
        'max_cost',
        `the model of step '${label}' has no pricing: give input_per_million and output_per_million in its entry`,
      );
    }
    const counting = max_tokens === undefined ? 'max_cost' : 'max_tokens';
    if (this.#uncounted !== undefined && this.limits[counting] !== undefined) {
      return this.#uncountable(
        counting,
        `the server of step '${this.#uncounted}' reports no tokens: limit max_model_calls instead`,
      );
    }
    return undefined;
  }

  begin(): void {
    this.#calls += 1;
  }

  /** Counts what a call came to; undefined: it was free, and counts as none. */
  settle(label: string, spent: Spent | undefined): void {
    if (spent === undefined) this.#calls -= 1;
    else if (spent.tokens === null) this.#uncounted ??= label;
    else {
      this.#tokens += spent.tokens;
      this.#cost += spent.cost ?? 0;
    }
  }

  /** The error of a passed `max_duration`. */
  outOfTime(): LaitError {
    const { max_duration } = this.limits;
    return new TimeoutError({
      code: 'limit_reached',
      message: `workflow '${this.workflow}' reached its limit max_duration: ${max_duration} s (${this.#sofar()})`,
      details: this.#details('max_duration'),
    });
  }

  #reached(name: keyof SpendingLimits, label: string): LaitError {
    return new StepError({
      code: 'limit_reached',
      category: 'failed',
      message: `workflow '${this.workflow}' reached its limit ${name}: ${this.limits[name]} before step '${label}' could ask a model (${this.#sofar()})`,
      details: this.#details(name),
    });
  }

  #uncountable(name: keyof SpendingLimits, reason: string): LaitError {
    return new StepError({
      code: 'limit_uncountable',
      category: 'failed',
      message: `workflow '${this.workflow}' cannot keep its limit ${name}: ${reason}`,
      details: this.#details(name),
    });
  }

  #sofar(): string {
    const calls = `${this.#calls} model ${this.#calls === 1 ? 'call' : 'calls'}`;
    const cost = this.#cost === 0 ? '' : `, cost ${Number(this.#cost.toPrecision(6))}`;
    return `${calls}, ${this.#tokens} tokens${cost} so far`;
  }

  #details(name: keyof SpendingLimits) {
    return {
      limit: name,
      most: this.limits[name]!,
      spent: { model_calls: this.#calls, tokens: this.#tokens, cost: this.#cost },
      deadline: this.place,
    };
  }
}
