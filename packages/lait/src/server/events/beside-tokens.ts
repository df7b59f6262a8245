import type { RunLogEvent } from '../../runs/run-record.js';
import type { TokenQueue } from './token-queue.js';

/**
 * The batches of a run's log as they come, and undefined whenever tokens have come meanwhile: they are the caller's to
 * take, also before a batch. Closes the queue at its end.
 */
export async function* besideTokens(
  batches: AsyncGenerator<RunLogEvent[]>,
  tokens: TokenQueue,
): AsyncGenerator<RunLogEvent[] | undefined> {
  try {
    let next: Promise<IteratorResult<RunLogEvent[], void>> | undefined;
    for (;;) {
      next ??= batches.next();
      const logged = await Promise.race([next, tokens.arrival()]);
      if (logged !== undefined) next = undefined;
      if (logged?.done === true) return;
      yield logged?.value;
    }
  } finally {
    tokens.close();
    await batches.return(undefined);
  }
}
