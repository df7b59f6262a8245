import type { PlanNode } from '../plan/plan.js';
import type { Value } from '../values/value.js';
import type { RunEvent } from './events.js';
import type { Execution } from './execution.js';

// Two for each step, so the fields of a step are written out: copying them with `...` takes three times as long, and an
// object to take them from is one more to allocate.

/** A step begins; `input` is the value that came to it. */
export function stepStarted(
  { path, id, label, kind }: PlanNode,
  number: number,
  { frame, progress: { prefix, depth } }: Execution,
  input: Value,
): RunEvent {
  const address = frame + path;
  return { type: 'step.started', input, address, path, id, label, kind, number, prefix, depth };
}

/** A step has ended with a value. */
export function stepCompleted(
  { path, id, label, kind }: PlanNode,
  number: number,
  { frame, progress: { prefix, depth } }: Execution,
  result: { value: Value; attempt: number; effects: readonly string[] | undefined; durationMs: number },
): RunEvent {
  const address = frame + path;
  const { value, attempt, effects, durationMs } = result;
  const type = 'step.completed';
  return { type, value, attempt, effects, durationMs, address, path, id, label, kind, number, prefix, depth };
}
