import { CancelledError, TimeoutError } from './errors.js';

/** What a timer can hold; nobody waits longer. */
const longestMs = 2_147_483_647;

/**
 * Runs `work` with a signal that follows `signal` and also fires after `seconds`, with a `TimeoutError` as `timeout`
 * says. That error, or the reason of `signal`, is thrown whatever the work makes of its end. The timer never outlives
 * the work.
 */
export async function withDeadline<T>(
  seconds: number,
  signal: AbortSignal,
  timeout: ConstructorParameters<typeof TimeoutError>[0],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const forward = () => limited.abort(signal.reason);
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  const timer = setTimeout(
    () => limited.abort(new TimeoutError(timeout)),
    Math.min(seconds * 1000, longestMs),
  );
  try {
    return await work(limited.signal);
  } catch (error) {
    if (!limited.signal.aborted) throw error;
    const reason: unknown = limited.signal.reason;
    throw reason instanceof Error ? reason : new CancelledError();
  } finally {
    clearTimeout(timer);
    // What listens to the limited signal must not hear of anything that happens later.
    signal.removeEventListener('abort', forward);
  }
}
