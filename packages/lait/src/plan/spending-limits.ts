import type { FieldTable } from './fields.js';

/** What a run may spend. Absent: as much as it needs. */
export interface SpendingLimits {
  /** Tokens in and out, all model calls together. */
  max_tokens?: number;
  /** Cost of all model calls, in the currency of `pricing`. */
  max_cost?: number;
  max_model_calls?: number;
  /** Seconds; waiting for people does not count. */
  max_duration?: number;
}

/** `limits:` of a workflow file and of lait.config.yml. */
export const spendingLimitFields = {
  max_tokens: {
    type: 'integer',
    minimum: 1,
    description: 'Tokens in and out of all model calls together; then no further call is made.',
  },
  max_cost: {
    type: 'number',
    minimum: 0,
    description: 'Cost of all model calls by the pricing of their models; then no further call is made.',
  },
  max_model_calls: { type: 'integer', minimum: 1, description: 'Most model calls.' },
  max_duration: {
    type: 'integer',
    minimum: 1,
    description: 'Seconds that a run may take, not counting the time it waits for people.',
  },
} as const satisfies FieldTable;

export const spendingLimitNames = Object.keys(spendingLimitFields) as (keyof SpendingLimits)[];

/**
 * The limits of a whole run: what the command line or the program gave, item by item; else the smaller of what the
 * workflow and the configuration say. Undefined when nothing is limited.
 */
export function runLimits(
  given: SpendingLimits | undefined,
  ...written: readonly (SpendingLimits | undefined)[]
): SpendingLimits | undefined {
  if (given === undefined && written.every((level) => level === undefined)) return undefined;
  const limits: SpendingLimits = {};
  for (const name of spendingLimitNames) {
    const values = written.flatMap((level) => level?.[name] ?? []);
    const value = given?.[name] ?? (values.length === 0 ? undefined : Math.min(...values));
    if (value !== undefined) limits[name] = value;
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}
