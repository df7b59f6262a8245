import type { StepRecord } from '../../../dialects/dynamic/step-records.js';
import type { NewRunEvent } from '../../../runs/run-record.js';
import type { JsonObject } from '../../../values/value.js';

/** The log entry of a run that begins in the middle: what the steps before came to. */
export const pastEntryType = 'past_steps';

export interface PastSteps {
  steps: { readonly [id: string]: StepRecord };
  /** Paths of the entries of the graph before the beginning. */
  completed: readonly string[];
}

export function pastEntry({ steps, completed }: PastSteps): NewRunEvent {
  const payload = { steps, completed } as unknown as JsonObject;
  return { event_type: pastEntryType, payload };
}
