import { type JournalEntry, journalKey } from '../../engine/journal.js';
import type { JsonValue } from '../../values/value.js';
import { runNotFound } from '../run-errors.js';
import type { RunLease, StoredJournal } from '../run-store.js';
import type { Database, Queries } from './database/database.js';
import { digest } from './digest.js';
import { IndexedJournal } from './indexed-journal.js';
import { insertEvents, parts } from './sql-events.js';
import { leaseLost } from './stored-record.js';
import type { ValueCodec } from './value-codec.js';

/** Reads the outcomes of a run; further ones are written under the lease. Throws `run_not_found`. */
export async function openSqlJournal(
  database: Database,
  codec: ValueCodec,
  runId: string,
  lease?: RunLease,
): Promise<StoredJournal> {
  const rows = await database.read(async (queries) => {
    const found = await queries
      .selectFrom('journal')
      .select('entry')
      .where('run_id', '=', runId)
      .orderBy('position')
      .orderBy('entry_key')
      .execute();
    // Whoever has a claim has just seen the run.
    if (found.length > 0 || lease !== undefined) return found;
    const run = await queries
      .selectFrom('runs')
      .select('run_id')
      .where('run_id', '=', runId)
      .executeTakeFirst();
    if (run === undefined) throw runNotFound(runId);
    return found;
  });
  let position = rows.length;
  return new IndexedJournal(
    rows.map(({ entry }) => codec.decode(entry) as unknown as JournalEntry),
    async (entries, events) => {
      const first = position;
      position += entries.length;
      const logged = codec.logged(events);
      // What is recorded already stays as it is.
      const repeatable = events.every(({ key }) => key !== undefined);
      await database.write(
        async (queries) => {
          const run = await heldRun(database, queries, runId, events.length > 0 ? 'log' : 'claim');
          if (run === undefined || (lease !== undefined && run.lease_attempt !== lease.attempt))
            throw lease === undefined ? runNotFound(runId) : leaseLost(runId);
          await insertEntries(queries, codec, runId, first, entries);
          if (events.length === 0) return;
          const last_seq = await insertEvents(queries, runId, run.last_seq, logged);
          await queries.updateTable('runs').set({ last_seq }).where('run_id', '=', runId).execute();
        },
        { repeatable },
      );
    },
  );
}

/** A run whose log, or at least whose claim, is held as it is until the transaction ends. */
export function heldRun(
  { engine }: Database,
  queries: Queries,
  runId: string,
  held: 'log' | 'claim',
): Promise<{ last_seq: number; lease_attempt: number } | undefined> {
  const query = queries.selectFrom('runs').select(['last_seq', 'lease_attempt']).where('run_id', '=', runId);
  if (engine === 'sqlite') return query.executeTakeFirst();
  return (held === 'log' ? query.forNoKeyUpdate() : query.forKeyShare()).executeTakeFirst();
}

/** Adds outcomes from a position on. What is recorded already stays as it is. */
export async function insertEntries(
  queries: Queries,
  codec: ValueCodec,
  runId: string,
  first: number,
  entries: readonly JournalEntry[],
): Promise<void> {
  const rows = entries.map((entry, index) => ({
    run_id: runId,
    entry_key: digest(journalKey(entry)),
    position: first + index,
    entry: codec.encode(entry as unknown as JsonValue),
  }));
  for (const part of parts(rows))
    await queries
      .insertInto('journal')
      .values(part)
      .onConflict((conflict) => conflict.columns(['run_id', 'entry_key']).doNothing())
      .execute();
}
