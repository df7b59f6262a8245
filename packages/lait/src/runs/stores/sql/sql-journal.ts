import { type JournalEntry, journalKey } from '../../../engine/journal.js';
import type { JsonValue } from '../../../values/value.js';
import { runNotFound } from '../../run-errors.js';
import type { RunLease, StoredJournal } from '../../run-store.js';
import type { Database, Queries } from '../database/database.js';
import { insertNew, parts } from '../database/insert-new.js';
import { digest } from '../digest.js';
import { GatheredReads } from '../gathered-reads.js';
import { IndexedJournal } from '../indexed-journal.js';
import { leaseLost } from '../stored-record.js';
import type { ValueCodec } from '../value-codec.js';
import { insertEvents } from './sql-events.js';

/** What the journals of a store have in common. */
export interface SqlJournals {
  database: Database;
  codec: ValueCodec;
  stored: GatheredReads<string[]>;
}

/** The outcomes of runs, in order, as they are stored: those of runs that begin together are read together. */
export function storedEntries(database: Database): GatheredReads<string[]> {
  return new GatheredReads((runIds) =>
    database.read(async (queries) => {
      const entries = new Map<string, string[]>();
      for (const part of parts(runIds)) {
        const rows = await queries
          .selectFrom('journal')
          .select(['run_id', 'entry'])
          .where('run_id', 'in', part)
          .orderBy('run_id')
          .orderBy('position')
          .orderBy('entry_key')
          .execute();
        for (const { run_id, entry } of rows) {
          const found = entries.get(run_id);
          if (found === undefined) entries.set(run_id, [entry]);
          else found.push(entry);
        }
      }
      return entries;
    }),
  );
}

/** Reads the outcomes of a run; further ones are written under the lease. Throws `run_not_found`. */
export async function openSqlJournal(
  { database, codec, stored }: SqlJournals,
  runId: string,
  lease?: RunLease,
): Promise<StoredJournal> {
  const rows = (await stored.get(runId)) ?? [];
  // Whoever has a claim has just seen the run.
  if (rows.length === 0 && lease === undefined) {
    const run = await database.read((queries) =>
      queries.selectFrom('runs').select('run_id').where('run_id', '=', runId).executeTakeFirst(),
    );
    if (run === undefined) throw runNotFound(runId);
  }
  let position = rows.length;
  return new IndexedJournal(
    rows.map((entry) => codec.decode(entry) as unknown as JournalEntry),
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
  await insertRows(queries, rows);
}

const insertRows = insertNew('journal', ['run_id', 'entry_key']);
