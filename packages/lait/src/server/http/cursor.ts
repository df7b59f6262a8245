import { isPlainText } from './plain-text.js';
import { unprocessable } from './problem.js';

/** A place in a list as clients hand it back: opaque, and checked when it comes. */
function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** Throws an `HttpProblem` (422 `cursor_invalid`). */
export function decodeCursor(text: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(parts) && parts.length === length && parts.every(isPlainText)) return parts as string[];
  } catch {
    // Garbage is told below.
  }
  throw unprocessable('cursor_invalid', 'the cursor is none that this server gave; start without one', [
    { in: 'query', path: 'cursor', message: 'unknown cursor' },
  ]);
}

/**
 * A page of a list that was read one further than `limit`, and the cursor of the next one; null: there is none.
 * `placeOf` says where an item stands.
 */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  placeOf: (item: T) => readonly string[],
): { page: readonly T[]; next_cursor: string | null } {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { page, next_cursor: last === undefined ? null : encodeCursor(placeOf(last)) };
}
