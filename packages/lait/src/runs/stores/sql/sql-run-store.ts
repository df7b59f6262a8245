import type { JournalEntry } from '../../../engine/journal.js';
import { isLaitError } from '../../../errors/lait-error.js';
import type { Value } from '../../../values/value.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from '../../run-record.js';
import type {
  ClaimRequest,
  InboxQuestion,
  QuestionFilter,
  RunClaim,
  RunFilter,
  RunLease,
  RunSelection,
  RunStore,
  RunUpdate,
  RunUse,
  StoredJournal,
  UpdateOfKnown,
} from '../../run-store.js';
import type { Database, Queries } from '../database/database.js';
import { insertNew } from '../database/insert-new.js';
import type { RunsTable } from '../database/tables.js';
import { leaseLost, newRecord, runExists } from '../stored-record.js';
import { type SecretCodec, ValueCodec } from '../value-codec.js';
import {
  claimColumns,
  freeRuns,
  isAnyWaiting,
  nextRuns,
  releaseClaim,
  renewClaim,
  takeTurns,
} from './sql-claims.js';
import { PinnedDefinitions } from './sql-definitions.js';
import { insertEvents, insertLogs } from './sql-events.js';
import { heldRun, insertEntries, openSqlJournal, type SqlJournals, storedEntries } from './sql-journal.js';
import { findQuestions, insertQuestions } from './sql-questions.js';
import { SqlRunChanges } from './sql-run-changes.js';
import { loadRuns, pagedRuns, type RunQuery, type StoredRun, selectedRuns } from './sql-run-query.js';
import { eventOf, runColumns } from './sql-run-rows.js';
import { updateRun } from './sql-run-updates.js';

/** A run that may be claimed, and why it cannot be worked on. */
type FreeRun = StoredRun & Pick<RunClaim, 'problem'>;

export interface SqlRunStoreOptions {
  /** Keeps secrets out of stored values. Default: values are stored as they are. */
  secrets?: SecretCodec;
}

/** Runs in a SQLite or PostgreSQL database. Several processes may use it at once. */
export class SqlRunStore implements RunStore {
  readonly #codec: ValueCodec;
  readonly #definitions: PinnedDefinitions;
  readonly #journals: SqlJournals;
  readonly #changes: SqlRunChanges;

  constructor(
    private readonly database: Database,
    { secrets }: SqlRunStoreOptions = {},
  ) {
    this.#codec = new ValueCodec(secrets);
    this.#changes = new SqlRunChanges(this.#codec);
    this.#definitions = new PinnedDefinitions(database.engine);
    this.#journals = { database, codec: this.#codec, stored: storedEntries(database) };
  }

  async create(
    record: RunRecord,
    events: readonly NewRunEvent[],
    entries: readonly JournalEntry[] = [],
  ): Promise<void> {
    const stored = newRecord(record);
    const { run_id } = stored;
    const logged = this.#codec.logged(events);
    await this.database.write(async (queries) => {
      const pinned = await this.#definitions.pin(queries, stored.definition);
      const row = { ...runColumns(stored, pinned, this.#codec), last_seq: logged.length, ...noLease };
      if ((await insertRun(queries, [row])) !== 1) throw runExists(run_id);
      await insertQuestions(queries, this.#codec, stored);
      await insertEntries(queries, this.#codec, run_id, 0, entries);
      await this.#changes.log(queries, run_id, 0, logged);
    });
  }

  async read(runId: string, use: RunUse = 'work'): Promise<RunRecord | undefined> {
    const [run] = await this.database.read((queries) =>
      loadRuns(
        queries,
        queries.selectFrom('runs').where('run_id', '=', runId),
        this.#definitions,
        use === 'show' ? this.#show : this.#work,
      ),
    );
    return run?.record;
  }

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    const runs = await this.database.read((queries) =>
      loadRuns(queries, pagedRuns(queries.selectFrom('runs'), filter), this.#definitions, this.#show),
    );
    return runs.map(({ record }) => record);
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

  async update(runId: string, update: UpdateOfKnown): Promise<RunRecord | undefined> {
    const { revision, change, events, lease, known } = update;
    return this.database.write(async (queries) => {
      if (known !== undefined) {
        const record = await this.#changes.changeKnown(queries, known, update, lease);
        if (record !== undefined) return record;
        // What stands in the way is found out below.
      }
      const query = queries.selectFrom('runs').where('run_id', '=', runId).where('revision', '=', revision);
      const [found] = await loadRuns(queries, this.#held(query, 'change'), this.#definitions, this.#work);
      if (found === undefined) return undefined;
      if (lease !== undefined && found.lease_attempt !== lease.attempt) throw leaseLost(runId);
      const last_seq = await insertEvents(queries, runId, found.last_seq, this.#codec.logged(events));
      return this.#changes.change(queries, found, change, { last_seq });
    });
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.write(async (queries) => {
      const row = await heldRun(this.database, queries, runId, 'log');
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
    return openSqlJournal(this.#journals, runId, lease);
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
      await this.#definitions.unpin(queries, row.definition_digest);
    });
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    if (!(await this.database.read((queries) => isAnyWaiting(this.database, queries)))) return [];
    return this.database.write(async (queries) => {
      const claims: RunClaim[] = [];
      for (const { max = 1 } = request; claims.length < max; ) {
        const { now, turns } = await nextRuns(this.database, queries, request, max - claims.length);
        if (turns.length === 0) break;
        const ids = turns.map(({ run_id }) => run_id);
        const runs = new Map((await this.#free(queries, ids, now)).map((run) => [run.record.run_id, run]));
        const taken = turns.filter(({ run_id }) => runs.has(run_id));
        const begun = taken.map(({ run_id }) => claimed(runs.get(run_id)!, now, request));
        claims.push(...(await this.#claim(queries, begun)));
        if (taken.length > 0) await takeTurns(queries, taken);
        // What somebody else has changed meanwhile leaves its place to others.
        if (taken.length === turns.length || taken.length === 0) break;
      }
      return claims;
    });
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

  /** Those of the runs that are still free. One whose values cannot be restored does not keep the others. */
  async #free(queries: Queries, ids: readonly string[], now: number): Promise<FreeRun[]> {
    const load = (decode: (text: string) => Value) => {
      // Waits for outcomes that the last holder is just writing, and keeps further ones out.
      const free = this.#held(freeRuns(queries.selectFrom('runs'), ids, now), 'claim');
      return loadRuns(queries, free, this.#definitions, decode);
    };
    try {
      return await load(this.#work);
    } catch (problem) {
      if (!isLaitError(problem)) throw problem;
      if (ids.length === 1) return (await load(this.#show)).map((run) => ({ ...run, problem }));
      const runs: FreeRun[] = [];
      for (const id of ids) runs.push(...(await this.#free(queries, [id], now)));
      return runs;
    }
  }

  /** Stores what becomes of the runs with their claims. */
  async #claim(queries: Queries, runs: readonly ClaimedRun[]): Promise<RunClaim[]> {
    const logs = runs.map(({ run, update }) => ({
      runId: run.record.run_id,
      lastSeq: run.last_seq,
      events: this.#codec.logged(update?.events ?? []),
    }));
    const lastSeqs = await insertLogs(queries, logs);
    const claims: RunClaim[] = [];
    for (const [index, { run, update, lease, columns }] of runs.entries()) {
      const { problem } = run;
      const claim = { ...columns, last_seq: lastSeqs[index]! };
      const { change = {} } = update ?? {};
      const record =
        update === undefined ? run.record : await this.#changes.change(queries, run, change, claim);
      if (update === undefined) await updateRun(queries, lease.run_id, columns);
      claims.push({ lease, record, ...(problem !== undefined && { problem }) });
    }
    return claims;
  }

  /** The rows of a query, held until the transaction ends: against other changes, or also against outcomes. */
  #held(query: RunQuery, against: 'change' | 'claim'): RunQuery {
    if (this.database.engine === 'sqlite') return query;
    return against === 'change' ? query.forNoKeyUpdate('runs') : query.forUpdate('runs');
  }
}

/** A run that is about to be claimed. */
interface ClaimedRun {
  run: FreeRun;
  lease: RunLease;
  columns: Partial<RunsTable>;
  update: RunUpdate | undefined;
}

function claimed(run: FreeRun, now: number, { worker, leaseMs, begin }: ClaimRequest): ClaimedRun {
  const lease = { run_id: run.record.run_id, worker, attempt: run.lease_attempt + 1 };
  const update = run.problem === undefined ? begin?.(run.record) : undefined;
  return { run, lease, columns: claimColumns(lease, now + leaseMs), update };
}

const insertRun = insertNew('runs', ['run_id']);
const noLease = { lease_worker: null, lease_until: 0, lease_attempt: 0 };
