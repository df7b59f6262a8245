let counter = 0;

/**
 * A new run id: UTC date and time, nanoseconds, process id, counter, e.g. `20260903-141233-123456789-12345-0`. Ids sort
 * by time and are plain file names. Source: steps facts §15.
 */
export function newRunId(): string {
  const now = performance.timeOrigin + performance.now();
  const time = new Date(now).toISOString();
  const date = time.slice(0, 10).replaceAll('-', '');
  const clock = time.slice(11, 19).replaceAll(':', '');
  const nanoseconds = Math.floor((now % 1000) * 1e6);
  return `${date}-${clock}-${String(nanoseconds).padStart(9, '0')}-${process.pid}-${counter++}`;
}

/** True for what can be a run id: a plain name that cannot lead out of its directory. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text);
}
