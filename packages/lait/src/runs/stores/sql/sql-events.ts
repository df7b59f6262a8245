import type { NewRunEvent } from '../../run-record.js';
import type { Queries } from '../database/database.js';
import { insertNew, parts } from '../database/insert-new.js';
import type { EventsTable } from '../database/tables.js';
import { digest } from '../digest.js';

const insertRows = insertNew('events', ['run_id', 'key_digest']);

/** What is to be appended to a run's log, and the number of its newest event so far. */
export interface LogAddition {
  runId: string;
  lastSeq: number;
  events: readonly NewRunEvent[];
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
  return (await insertLogs(queries, [{ runId, lastSeq, events }]))[0]!;
}

/** The same for several runs. */
export async function insertLogs(queries: Queries, logs: readonly LogAddition[]): Promise<number[]> {
  const rows = logs.map((log) => eventRows(log, new Set()));
  const all = rows.flat();
  // Mostly all of them are new.
  if ((await insertRows(queries, all)) === all.length)
    return logs.map(({ lastSeq }, index) => lastSeq + rows[index]!.length);
  const last: number[] = [];
  for (const log of logs) last.push(await insertUnknown(queries, log));
  return last;
}

/** Instead of what was inserted of a log: only those whose key is not there. */
async function insertUnknown(queries: Queries, log: LogAddition): Promise<number> {
  const { runId, lastSeq, events } = log;
  await queries.deleteFrom('events').where('run_id', '=', runId).where('seq', '>', lastSeq).execute();
  const known = new Set<string>();
  for (const part of parts(events.flatMap(({ key }) => (key === undefined ? [] : [digest(key)])))) {
    const found = await queries
      .selectFrom('events')
      .select('key_digest')
      .where('run_id', '=', runId)
      .where('key_digest', 'in', part)
      .execute();
    for (const { key_digest } of found) known.add(key_digest!);
  }
  const left = eventRows(log, known);
  await insertRows(queries, left);
  return lastSeq + left.length;
}

function eventRows({ runId, lastSeq, events }: LogAddition, known: Set<string>): EventsTable[] {
  const created_at = new Date().toISOString();
  const rows: EventsTable[] = [];
  for (const { event_type, payload, key } of events) {
    const key_digest = key === undefined ? null : digest(key);
    if (key_digest !== null) {
      if (known.has(key_digest)) continue;
      known.add(key_digest);
    }
    rows.push({
      run_id: runId,
      seq: lastSeq + rows.length + 1,
      event_type,
      payload: JSON.stringify(payload),
      event_key: key === undefined ? null : JSON.stringify(key),
      key_digest,
      created_at,
    });
  }
  return rows;
}
