import { TimeoutError } from '../errors/errors.js';

/**
 * Runs something with a signal that also fires after `seconds`, with a `TimeoutError` whose message is `what` and the
 * limit. The timer never outlives the work.
 */
export async function withDeadline<T>(
  seconds: number,
  signal: AbortSignal,
  what: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const forward = () => limited.abort(signal.reason);
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  const expire = () =>
    limited.abort(
      new TimeoutError({ code: 'tool_timeout', message: `${what} took longer than ${seconds} s` }),
    );
  // A timer cannot hold longer waits; nobody waits that long for a tool.
  const timer = setTimeout(expire, Math.min(seconds * 1000, 2_147_483_647));
  try {
    return await run(limited.signal);
  } finally {
    clearTimeout(timer);
    // What listens to the limited signal must not hear of anything that happens later.
    signal.removeEventListener('abort', forward);
  }
}

/** Waits for a shared promise but stops waiting when the signal fires; the shared work goes on for the others. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
