import { CancelledError, TimeoutError } from '../errors/errors.js';

/**
 * Runs `work` with a signal that follows `signal` and ends after `seconds`. A passed limit is a `TimeoutError` (code
 * `model_timeout`); a cancel from outside is thrown with its own reason, whatever the work made of it.
 */
export async function withDeadline<T>(
  seconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  let timeout: TimeoutError | undefined;
  const timer = setTimeout(() => {
    timeout = new TimeoutError({
      code: 'model_timeout',
      message: `the model server did not answer within ${seconds} s`,
      disposition: 'retryable',
    });
    controller.abort(timeout);
  }, seconds * 1000);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason instanceof Error ? signal.reason : new CancelledError();
    throw timeout ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
