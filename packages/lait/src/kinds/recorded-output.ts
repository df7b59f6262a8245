import { isLaitError } from '../errors/lait-error.js';
import type { JsonValue } from '../values/value.js';
import type { StepContext } from './kind.js';

/**
 * The result of a step that looks things up while it works: once it has ended it is never begun again, whatever the
 * registry says by then. `work` may have effects of its own; its value or failure is recorded as one.
 */
export async function recordedOutput<T extends JsonValue>(
  context: StepContext,
  work: () => Promise<T>,
): Promise<T> {
  const recorded = context.recorded('output');
  if (recorded !== undefined) return recorded as T;
  let outcome: { value: T } | { error: unknown };
  try {
    outcome = { value: await work() };
  } catch (error) {
    context.cancel.throwIfCancelled();
    if (isLaitError(error) && error.category === 'cancelled') throw error;
    outcome = { error };
  }
  const ended = outcome;
  return (await context.effect(
    async () => {
      if ('error' in ended) throw ended.error;
      return ended;
    },
    { name: 'output' },
  )) as T;
}
