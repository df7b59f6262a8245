import type { NewRunEvent, RunRecord } from '../../run-record.js';
import type { RunChange, RunLease, RunUpdate } from '../../run-store.js';
import type { Queries } from '../database/database.js';
import type { RunsTable } from '../database/tables.js';
import { changedRecord, endsClaim } from '../stored-record.js';
import type { ValueCodec } from '../value-codec.js';
import { insertEvents } from './sql-events.js';
import { insertQuestions } from './sql-questions.js';
import type { StoredRun } from './sql-run-query.js';
import { changedColumns } from './sql-run-rows.js';
import { updateKnownRun, updateRun } from './sql-run-updates.js';

/** What a change of a run writes: its columns, its questions, and what the log says about it. */
export class SqlRunChanges {
  constructor(private readonly codec: ValueCodec) {}

  /** Stores a change of a run whose row is held, together with other columns. */
  async change(
    queries: Queries,
    run: StoredRun,
    change: RunChange,
    others: Partial<RunsTable>,
  ): Promise<RunRecord> {
    const record = changedRecord(run.record, change);
    const { run_id } = record;
    const columns = { ...changedColumns(record, change, this.codec), ...others, ...claimEnd(change) };
    await updateRun(queries, run_id, columns);
    await this.#changeQuestions(queries, record, change, run.asks);
    return record;
  }

  /** The same in one step when the run still stands as it is known; else does nothing. */
  async changeKnown(
    queries: Queries,
    known: RunRecord,
    { change, events }: RunUpdate,
    lease: RunLease | undefined,
  ): Promise<RunRecord | undefined> {
    const record = changedRecord(known, change);
    const { run_id } = record;
    const logged = this.codec.logged(events);
    const columns = { ...changedColumns(record, change, this.codec), ...claimEnd(change) };
    const known_as = { run_id, revision: known.revision, lease_attempt: lease?.attempt };
    const last_seq = await updateKnownRun(queries, known_as, columns, logged.length);
    if (last_seq === undefined) return undefined;
    await this.log(queries, run_id, last_seq - logged.length, logged);
    await this.#changeQuestions(queries, record, change, known.questions.length > 0);
    return record;
  }

  /** Adds to the log of a run whose row counts all of the events already. */
  async log(queries: Queries, runId: string, lastSeq: number, events: readonly NewRunEvent[]): Promise<void> {
    const last_seq = await insertEvents(queries, runId, lastSeq, events);
    if (last_seq !== lastSeq + events.length)
      await queries.updateTable('runs').set({ last_seq }).where('run_id', '=', runId).execute();
  }

  async #changeQuestions(
    queries: Queries,
    record: RunRecord,
    { questions }: RunChange,
    asked: boolean,
  ): Promise<void> {
    if (questions === undefined) return;
    if (asked) await queries.deleteFrom('questions').where('run_id', '=', record.run_id).execute();
    await insertQuestions(queries, this.codec, record);
  }
}

function claimEnd(change: RunChange): Partial<RunsTable> {
  return endsClaim(change) ? { lease_until: 0 } : {};
}
