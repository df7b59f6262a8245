import type { Value } from '../values/value.js';
import type { RunEvent, StepFields } from './events.js';

// Two for each step, so their fields are written out: copying them with `...` takes three times as long.

/** A step begins; `input` is the value that came to it. */
export function stepStarted(fields: StepFields, input: Value): RunEvent {
  const { address, path, id, label, kind, number, prefix, depth } = fields;
  return { type: 'step.started', input, address, path, id, label, kind, number, prefix, depth };
}

/** A step has ended with a value. */
export function stepCompleted(
  fields: StepFields,
  result: { value: Value; attempt: number; effects: readonly string[] | undefined; durationMs: number },
): RunEvent {
  const { address, path, id, label, kind, number, prefix, depth } = fields;
  const { value, attempt, effects, durationMs } = result;
  const type = 'step.completed';
  return { type, value, attempt, effects, durationMs, address, path, id, label, kind, number, prefix, depth };
}
