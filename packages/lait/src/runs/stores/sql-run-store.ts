import type { Selectable, SelectQueryBuilder } from 'kysely';
import { type JournalEntry, journalKey } from '../../engine/journal.js';
import type { JsonValue, Value } from '../../values/value.js';
import { runNotFound } from '../run-errors.js';
import type { NewRunEvent, RunLogEvent, RunQuestion, RunRecord } from '../run-record.js';
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
import type { RunsTable, Tables } from './database/tables.js';
import { digest } from './digest.js';
import { IndexedJournal } from './indexed-journal.js';
import { claimRuns, isNewestClaim, releaseClaim, renewClaim } from './sql-claims.js';
import { insertEvents, rowsPerInsert } from './sql-events.js';
import {
  columnText,
  eventOf,
  formOf,
  pinnedDefinition,
  questionRows,
  recordOf,
  runColumns,
} from './sql-run-rows.js';
import { changedRecord, leaseLost, newRecord, runExists } from './stored-record.js';
import { type SecretCodec, ValueCodec } from './value-codec.js';

export interface SqlRunStoreOptions {
  /** Keeps secrets out of stored values. Default: values are stored as they are. */
  secrets?: SecretCodec;
}

type RunQuery<O> = SelectQueryBuilder<Tables, 'runs', O>;

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
      await this.#insertQuestions(queries, stored.run_id, stored.questions);
      await this.#insertEntries(queries, stored.run_id, 0, entries);
      const last_seq = await insertEvents(queries, stored.run_id, 0, events);
      await queries.updateTable('runs').set({ last_seq }).where('run_id', '=', stored.run_id).execute();
    });
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    const [record] = await this.database.read((queries) =>
      this.#records(queries, queries.selectFrom('runs').where('run_id', '=', runId), this.#work),
    );
    return record;
  }

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    const { order = 'newest', after, limit, offset } = filter;
    const direction = order === 'newest' ? 'desc' : 'asc';
    const behind = order === 'newest' ? '<' : '>';
    return this.database.read((queries) => {
      let query = selected(queries.selectFrom('runs'), filter)
        .orderBy('created_at', direction)
        .orderBy('run_id', direction);
      if (after !== undefined)
        query = query.where(({ eb, and, or }) =>
          or([
            eb('created_at', behind, after.created_at),
            and([eb('created_at', '=', after.created_at), eb('run_id', behind, after.run_id)]),
          ]),
        );
      if (limit !== undefined || offset !== undefined) query = query.limit(limit ?? largestLimit);
      if (offset !== undefined) query = query.offset(offset);
      return this.#records(queries, query, this.#show);
    });
  }

  async count(selection: RunSelection = {}): Promise<number> {
    const { runs } = await this.database.read((queries) =>
      selected(queries.selectFrom('runs'), selection)
        .select(({ fn }) => fn.countAll<number>().as('runs'))
        .executeTakeFirstOrThrow(),
    );
    return Number(runs);
  }

  async questions(filter: QuestionFilter = {}): Promise<InboxQuestion[]> {
    const { runId, workflow, forms, hitlRunId, limit, offset } = filter;
    const rows = await this.database.read((queries) => {
      let query = queries
        .selectFrom('questions')
        .innerJoin('runs', 'runs.run_id', 'questions.run_id')
        .innerJoin('pinned_definitions', 'digest', 'definition_digest')
        .select(['questions.run_id', 'question', 'form', 'status', 'definition'])
        .orderBy('asked_at')
        .orderBy('questions.run_id')
        .orderBy('position');
      if (runId !== undefined) query = query.where('questions.run_id', '=', runId);
      if (workflow !== undefined) query = query.where('workflow', '=', columnText(workflow));
      if (forms !== undefined) query = query.where('form', 'in', [...forms]);
      if (hitlRunId !== undefined) query = query.where('hitl_run_id', '=', hitlRunId);
      if (limit !== undefined || offset !== undefined) query = query.limit(limit ?? largestLimit);
      if (offset !== undefined) query = query.offset(offset);
      return query.execute();
    });
    return rows.map(({ run_id, question, form, status, definition }) => ({
      ...(this.#show(question) as unknown as RunQuestion),
      run_id,
      workflow: (JSON.parse(definition) as RunRecord['definition']).id,
      form: formOf(form),
      status: status as RunRecord['status'],
    }));
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    return this.database.write(async (queries) => {
      const locked = this.#locked(queries, runId).where('revision', '=', revision);
      const [found] = await this.#records(queries, locked, this.#work);
      if (found === undefined) return undefined;
      const record = changedRecord(found, change);
      const { last_seq: lastSeq } = await queries
        .selectFrom('runs')
        .select('last_seq')
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow();
      const last_seq = await insertEvents(queries, runId, lastSeq, events);
      const { run_id, definition_digest, ...columns } = runColumns(record, '', this.#codec);
      await queries
        .updateTable('runs')
        .set({ ...columns, last_seq, ...(change.status === 'queued' && { lease_until: 0 }) })
        .where('run_id', '=', runId)
        .execute();
      if (change.questions !== undefined) {
        await queries.deleteFrom('questions').where('run_id', '=', runId).execute();
        await this.#insertQuestions(queries, runId, record.questions);
      }
      return record;
    });
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.database.write(async (queries) => {
      const row = await this.#locked(queries, runId).select('last_seq').executeTakeFirst();
      if (row === undefined) return;
      const last_seq = await insertEvents(queries, runId, row.last_seq, events);
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

  async journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    const rows = await this.database.read(async (queries) => {
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
      rows.map(({ entry }) => this.#codec.decode(entry) as unknown as JournalEntry),
      async (entries) => {
        const first = position;
        position += entries.length;
        await this.database.write(async (queries) => {
          if (lease !== undefined && !(await isNewestClaim(this.database, queries, lease)))
            throw leaseLost(runId);
          await this.#insertEntries(queries, runId, first, entries);
        });
      },
    );
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
  #locked(queries: Queries, runId: string): RunQuery<object> {
    const query = queries.selectFrom('runs').where('run_id', '=', runId);
    return this.database.engine === 'postgres' ? query.forNoKeyUpdate() : query;
  }

  async #records(
    queries: Queries,
    query: RunQuery<object>,
    decode: (text: string) => Value,
  ): Promise<RunRecord[]> {
    const rows: Selectable<RunsTable>[] = await query.selectAll('runs').execute();
    const ids = rows.map(({ run_id }) => run_id);
    const asked = new Map<string, RunQuestion[]>();
    for (const part of parts(ids)) {
      const questions = await queries
        .selectFrom('questions')
        .select(['run_id', 'question'])
        .where('run_id', 'in', part)
        .orderBy('position')
        .execute();
      for (const { run_id, question } of questions) {
        const list = asked.get(run_id) ?? [];
        list.push(decode(question) as unknown as RunQuestion);
        asked.set(run_id, list);
      }
    }
    const definitions = new Map<string, string>();
    for (const part of parts([...new Set(rows.map(({ definition_digest }) => definition_digest))])) {
      const found = await queries
        .selectFrom('pinned_definitions')
        .selectAll()
        .where('digest', 'in', part)
        .execute();
      for (const { digest, definition } of found) definitions.set(digest, definition);
    }
    return rows.flatMap((row) => {
      const definition = definitions.get(row.definition_digest);
      // Removed between the two queries.
      return definition === undefined ? [] : [recordOf(row, definition, asked.get(row.run_id) ?? [], decode)];
    });
  }

  async #insertQuestions(queries: Queries, runId: string, questions: readonly RunQuestion[]): Promise<void> {
    for (const part of parts(questionRows(runId, questions, this.#codec)))
      await queries.insertInto('questions').values(part).execute();
  }

  async #insertEntries(
    queries: Queries,
    runId: string,
    first: number,
    entries: readonly JournalEntry[],
  ): Promise<void> {
    const rows = entries.map((entry, index) => ({
      run_id: runId,
      entry_key: digest(journalKey(entry)),
      position: first + index,
      entry: this.#codec.encode(entry as unknown as JsonValue),
    }));
    for (const part of parts(rows))
      await queries
        .insertInto('journal')
        .values(part)
        .onConflict((conflict) => conflict.columns(['run_id', 'entry_key']).doNothing())
        .execute();
  }
}

const noLease = { lease_worker: null, lease_until: 0, lease_attempt: 0 };
const largestLimit = 2_147_483_647;

function* parts<T>(items: readonly T[]): Iterable<T[]> {
  for (let index = 0; index < items.length; index += rowsPerInsert)
    yield items.slice(index, index + rowsPerInsert);
}

function selected<O>(query: RunQuery<O>, selection: RunSelection): RunQuery<O> {
  const { statuses, forms, workflow, createdFrom, createdBefore, finishedBefore } = selection;
  let chosen = query;
  if (statuses !== undefined) chosen = chosen.where('status', 'in', [...statuses]);
  if (forms !== undefined) chosen = chosen.where('form', 'in', [...forms]);
  if (workflow !== undefined) chosen = chosen.where('workflow', '=', columnText(workflow));
  if (createdFrom !== undefined) chosen = chosen.where('created_at', '>=', createdFrom);
  if (createdBefore !== undefined) chosen = chosen.where('created_at', '<', createdBefore);
  if (finishedBefore !== undefined) chosen = chosen.where('finished_at', '<', finishedBefore);
  return chosen;
}
