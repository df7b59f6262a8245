import type { NewRunEvent } from '../run-record.js';
import type { Queries } from './database/database.js';
import { digest } from './digest.js';

/** Rows of one statement: both databases limit the parameters of a statement. */
const rowsPerStatement = 100;

/** The items in portions that fit into one statement. */
export function* parts<T>(items: readonly T[]): Iterable<T[]> {
  for (let index = 0; index < items.length; index += rowsPerStatement)
    yield items.slice(index, index + rowsPerStatement);
}

/**
 * Appends to a run's log inside a transaction that already holds the run's row. Events whose key is there already are
 * left out; the numbers go on without a gap. Gives the number of the newest event.
 */
export async function insertEvents(
  queries: Queries,
  runId: string,
  lastSeq: number,
  events: readonly NewRunEvent[],
): Promise<number> {
  const keyed = new Set<string>();
  for (const { key } of events) if (key !== undefined) keyed.add(digest(key));
  const known = new Set<string>();
  for (const part of parts([...keyed])) {
    const found = await queries
      .selectFrom('events')
      .select('key_digest')
      .where('run_id', '=', runId)
      .where('key_digest', 'in', part)
      .execute();
    for (const { key_digest } of found) known.add(key_digest!);
  }
  const created_at = new Date().toISOString();
  const rows = [];
  let seq = lastSeq;
  for (const { event_type, payload, key } of events) {
    const key_digest = key === undefined ? null : digest(key);
    if (key_digest !== null) {
      if (known.has(key_digest)) continue;
      known.add(key_digest);
    }
    seq += 1;
    rows.push({
      run_id: runId,
      seq,
      event_type,
      payload: JSON.stringify(payload),
      event_key: key === undefined ? null : JSON.stringify(key),
      key_digest,
      created_at,
    });
  }
  for (const part of parts(rows)) await queries.insertInto('events').values(part).execute();
  return seq;
}
