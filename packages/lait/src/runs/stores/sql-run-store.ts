import type { JournalEntry } from '../../engine/journal.js';
import type { Value } from '../../values/value.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from '../run-record.js';
import type {
  ClaimRequest,
  InboxQuestion,
  QuestionFilter,
  RunChange,
  RunClaim,
  RunFilter,
  RunLease,
  RunSelection,
  RunStore,
  StoredJournal,
} from '../run-store.js';
import type { Database, Queries } from './database/database.js';
import { claimRuns, releaseClaim, renewClaim } from './sql-claims.js';
import { insertEvents } from './sql-events.js';
import { insertEntries, openSqlJournal } from './sql-journal.js';
import { findQuestions, replaceQuestions } from './sql-questions.js';
import { loadRecords, pagedRuns, type RunQuery, selectedRuns } from './sql-run-query.js';
import { eventOf, pinnedDefinition, runColumns } from './sql-run-rows.js';
import { changedRecord, newRecord, runExists } from './stored-record.js';
import { type SecretCodec, ValueCodec } from './value-codec.js';

export interface SqlRunStoreOptions {
  /** Keeps secrets out of stored values. Default: values are stored as they are. */
  secrets?: SecretCodec;
}

/** Runs in a SQLite or PostgreSQL database. Several processes may use it at once. */
export class SqlRunStore implements RunStore {
  readonly #codec: ValueCodec;

  constructor(
    private readonly database: Database,
    { secrets }: SqlRunStoreOptions = {},
  ) {
    this.#codec = new ValueCodec(secrets);
  }

  async create(
    record: RunRecord,
    events: readonly NewRunEvent[],
    entries: readonly JournalEntry[] = [],
  ): Promise<void> {
    const stored = newRecord(record);
    const pinned = pinnedDefinition(stored);
    await this.database.write(async (queries) => {
      await queries
        .insertInto('pinned_definitions')
        .values(pinned)
        // Touches the row, so that a clean-up of unused ones waits.
        .onConflict((conflict) => conflict.column('digest').doUpdateSet({ digest: pinned.digest }))
        .execute();
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('runs')
        .values({ ...runColumns(stored, pinned.digest, this.#codec), last_seq: 0, ...noLease })
        .onConflict((conflict) => conflict.column('run_id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n) throw runExists(record.run_id);
      await replaceQuestions(queries, this.#codec, stored);
      await insertEntries(queries, this.#codec, stored.run_id, 0, entries);
      const last_seq = await insertEvents(queries, stored.run_id, 0, this.#codec.logged(events));
      await queries.updateTable('runs').set({ last_seq }).where('run_id', '=', stored.run_id).execute();
    });
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    const [record] = await this.database.read((queries) =>
      loadRecords(queries, queries.selectFrom('runs').where('run_id', '=', runId), this.#work),
    );
    return record;
  }

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    return this.database.read((queries) =>
      loadRecords(queries, pagedRuns(queries.selectFrom('runs'), filter), this.#show),
    );
  }

  async count(selection: RunSelection = {}): Promise<number> {
    const { runs } = await this.database.read((queries) =>
      selectedRuns(queries.selectFrom('runs'), selection)
        .select(({ fn }) => fn.countAll<number>().as('runs'))
        .executeTakeFirstOrThrow(),
    );
    return Number(runs);
  }

  questions(filter: QuestionFilter = {}): Promise<InboxQuestion[]> {
    return this.database.read((queries) => findQuestions(queries, this.#codec, filter));
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    return this.database.write(async (queries) => {
      const locked = this.#locked(queries, runId).where('revision', '=', revision);
      const [found] = await loadRecords(queries, locked, this.#work);
      if (found === undefined) return undefined;
      const record = changedRecord(found, change);
      const { last_seq: lastSeq } = await queries
        .selectFrom('runs')
        .select('last_seq')
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow();
      const last_seq = await insertEvents(queries, runId, lastSeq, this.#codec.logged(events));
      const { run_id, definition_digest, ...columns } = runColumns(record, '', this.#codec);
      await queries
        .updateTable('runs')
        .set({ ...columns, last_seq, ...(change.status === 'queued' && { lease_until: 0 }) })
        .where('run_id', '=', runId)
        .execute();
      if (change.questions !== undefined) await replaceQuestions(queries, this.#codec, record);
      return record;
    });
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.write(async (queries) => {
      const row = await this.#locked(queries, runId).select('last_seq').executeTakeFirst();
      if (row === undefined) return;
      const last_seq = await insertEvents(queries, runId, row.last_seq, this.#codec.logged(events));
      if (last_seq !== row.last_seq)
        await queries.updateTable('runs').set({ last_seq }).where('run_id', '=', runId).execute();
    });
  }

  async events(
    runId: string,
    { after = 0, limit }: { after?: number; limit?: number } = {},
  ): Promise<RunLogEvent[]> {
    const rows = await this.database.read((queries) => {
      const query = queries
        .selectFrom('events')
        .selectAll()
        .where('run_id', '=', runId)
        .where('seq', '>', after)
        .orderBy('seq');
      return (limit === undefined ? query : query.limit(limit)).execute();
    });
    return rows.map(eventOf);
  }

  journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    return openSqlJournal(this.database, this.#codec, runId, lease);
  }

  async remove(runId: string): Promise<void> {
    await this.database.write(async (queries) => {
      const row = await queries
        .selectFrom('runs')
        .select('definition_digest')
        .where('run_id', '=', runId)
        .executeTakeFirst();
      if (row === undefined) return;
      await queries.deleteFrom('runs').where('run_id', '=', runId).execute();
      await queries
        .deleteFrom('pinned_definitions')
        .where('digest', '=', row.definition_digest)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('runs')
                .select('run_id')
                .whereRef('definition_digest', '=', 'pinned_definitions.digest'),
            ),
          ),
        )
        .execute();
    });
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    const claims: RunClaim[] = [];
    for (const lease of await claimRuns(this.database, request)) {
      const record = await this.read(lease.run_id);
      if (record !== undefined) claims.push({ lease, record });
    }
    return claims;
  }

  renew(lease: RunLease, leaseMs: number): Promise<boolean> {
    return renewClaim(this.database, lease, leaseMs);
  }

  release(lease: RunLease): Promise<void> {
    return releaseClaim(this.database, lease);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  readonly #work = (text: string): Value => this.#codec.decode(text);
  readonly #show = (text: string): Value => this.#codec.show(text);

  /** The row of a run, held until the transaction ends. */
  #locked(queries: Queries, runId: string): RunQuery {
    const query = queries.selectFrom('runs').where('run_id', '=', runId);
    return this.database.engine === 'postgres' ? query.forNoKeyUpdate() : query;
  }
}

const noLease = { lease_worker: null, lease_until: 0, lease_attempt: 0 };
