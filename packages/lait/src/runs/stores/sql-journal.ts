import { type JournalEntry, journalKey } from '../../engine/journal.js';
import type { JsonValue } from '../../values/value.js';
import { runNotFound } from '../run-errors.js';
import type { RunLease, StoredJournal } from '../run-store.js';
import type { Database, Queries } from './database/database.js';
import { digest } from './digest.js';
import { IndexedJournal } from './indexed-journal.js';
import { isNewestClaim } from './sql-claims.js';
import { parts } from './sql-events.js';
import { leaseLost } from './stored-record.js';
import type { ValueCodec } from './value-codec.js';

/** An outcome that is recorded already stays as it is. */
const repeatable = { repeatable: true };

/** Reads the outcomes of a run; further ones are written under the lease. Throws `run_not_found`. */
export async function openSqlJournal(
  database: Database,
  codec: ValueCodec,
  runId: string,
  lease?: RunLease,
): Promise<StoredJournal> {
  const rows = await database.read(async (queries) => {
    const run = await queries
      .selectFrom('runs')
      .select('run_id')
      .where('run_id', '=', runId)
      .executeTakeFirst();
    if (run === undefined) throw runNotFound(runId);
    return queries
      .selectFrom('journal')
      .select('entry')
      .where('run_id', '=', runId)
      .orderBy('position')
      .orderBy('entry_key')
      .execute();
  });
  let position = rows.length;
  return new IndexedJournal(
    rows.map(({ entry }) => codec.decode(entry) as unknown as JournalEntry),
    async (entries) => {
      const first = position;
      position += entries.length;
      await database.write(async (queries) => {
        if (lease !== undefined && !(await isNewestClaim(database, queries, lease))) throw leaseLost(runId);
        await insertEntries(queries, codec, runId, first, entries);
      }, repeatable);
    },
  );
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
