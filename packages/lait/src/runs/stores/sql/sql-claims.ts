import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ClaimRequest, RunLease } from '../../run-store.js';
import { claimableStatuses, nextHead, type QueueHead } from '../claim-order.js';
import type { Database, Queries } from '../database/database.js';
import type { RunQuery } from './sql-run-query.js';
import { columnText } from './sql-run-rows.js';

/** A run whose turn it is. */
interface Turn {
  run_id: string;
  workflow: string;
  turn: number;
}

interface Head extends QueueHead {
  run_id: string;
  /** When the workflow was served last. */
  turn: number;
  /** When any workflow was served last. */
  newest: number;
  /** More of the same workflow and priority may wait behind it. */
  more: boolean;
}

/** So many runs of one workflow are looked for at once. */
const lookAhead = 20;

/**
 * The runs whose turn it is, at most so many, and the instant at which that was so. Nobody else chooses until the
 * transaction ends, so that limits hold. The cost depends on how many workflows wait, not on how many runs.
 */
export async function nextRuns(
  database: Database,
  queries: Queries,
  { runId, limits = {} }: ClaimRequest,
  max: number,
): Promise<{ now: number; turns: Turn[] }> {
  const { rows } = await (database.engine === 'postgres'
    ? sql<{ now: number }>`select pg_advisory_xact_lock(hashtext('lait claims')), ${database.now} as now`
    : sql<{ now: number }>`select ${database.now} as now`
  ).execute(queries);
  const now = Number(rows[0]!.now);
  const heads =
    runId === undefined ? await waitingHeads(database, queries, now) : await headOf(queries, now, runId);
  const turns: Turn[] = [];
  if (heads.length === 0) return { now, turns };
  const state = {
    active: await activeClaims(queries, now),
    turns: new Map(heads.map(({ workflow, turn }) => [workflow, Number(turn)])),
    limits: namedLimits(limits),
  };
  let turn = Number(heads[0]!.newest);
  while (turns.length < max) {
    const next = nextHead(heads, state);
    if (next === undefined) break;
    const { run_id, workflow } = next;
    turn += 1;
    turns.push({ run_id, workflow, turn });
    state.active.set(workflow, (state.active.get(workflow) ?? 0) + 1);
    state.turns.set(workflow, turn);
    const behind = next.more && turns.length < max ? await runsBehind(database, queries, now, next) : [];
    heads.splice(heads.indexOf(next), 1, ...behind);
  }
  return { now, turns };
}

/** True when there are runs that could be claimed; a look without a transaction. */
export async function isAnyWaiting(database: Database, queries: Queries): Promise<boolean> {
  const { rows } = await sql<{ any_run: SqlBool }>`
    select exists (select 1 from ${queued(database)} and lease_until <= ${database.now})
      or exists (select 1 from ${worked(database)} and lease_until <= ${database.now}) as any_run
  `.execute(queries);
  return Boolean(rows[0]!.any_run);
}

/** Those of the runs that are still free. */
export function freeRuns(query: RunQuery, ids: readonly string[], now: number): RunQuery {
  return query
    .where('runs.run_id', 'in', [...ids])
    .where('status', 'in', [...claimableStatuses])
    .where('lease_until', '<=', now);
}

/** The columns of a new claim. */
export function claimColumns({ worker, attempt }: RunLease, until: number) {
  return { lease_worker: worker, lease_attempt: attempt, lease_until: Math.round(until) };
}

/** Remembers when workflows were served. */
export async function takeTurns(queries: Queries, turns: readonly Turn[]): Promise<void> {
  const last = new Map(turns.map(({ workflow, turn }) => [workflow, turn]));
  await queries
    .insertInto('queue_turns')
    .values([...last].map(([workflow, turn]) => ({ workflow, turn })))
    .onConflict((conflict) =>
      conflict.column('workflow').doUpdateSet(({ ref }) => ({ turn: ref('excluded.turn') })),
    )
    .execute();
}

/** Holds a claim for `leaseMs` more; false when it is lost. */
export async function renewClaim(database: Database, lease: RunLease, leaseMs: number): Promise<boolean> {
  return database.write(
    async (queries) => {
      const { numUpdatedRows } = await queries
        .updateTable('runs')
        .set({ lease_until: sql<number>`${database.now} + ${sql.lit(Math.round(leaseMs))}` })
        .where('run_id', '=', lease.run_id)
        .where('lease_attempt', '=', lease.attempt)
        .where('lease_until', '>', 0)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    { repeatable: true },
  );
}

/** Gives a claim up; one that is lost already stays as it is. */
export async function releaseClaim(database: Database, lease: RunLease): Promise<void> {
  await database.write(
    (queries) =>
      queries
        .updateTable('runs')
        .set({ lease_until: 0 })
        .where('run_id', '=', lease.run_id)
        .where('lease_attempt', '=', lease.attempt)
        .execute(),
    { repeatable: true },
  );
}

/**
 * Runs in a status, through the index that has no others. SQLite has to be told: it knows nothing of how many runs there
 * are. The status is written out because a partial index is not used for a parameter.
 */
function queued({ engine }: Database): RawBuilder<unknown> {
  const by = engine === 'sqlite' ? sql`indexed by runs_waiting` : sql``;
  return sql`runs as found ${by} where status = 'queued'`;
}
function worked({ engine }: Database): RawBuilder<unknown> {
  const by = engine === 'sqlite' ? sql`indexed by runs_worked_on` : sql``;
  return sql`runs as found ${by} where status in ('running', 'cancelling')`;
}

const headColumns = sql`
  run_id, workflow, priority, coalesce(queued_at, created_at) as queued_at,
  coalesce((select turn from queue_turns where queue_turns.workflow = found.workflow), 0) as turn,
  coalesce((select max(turn) from queue_turns), 0) as newest`;

async function activeClaims(queries: Queries, now: number): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('runs')
    .select(({ fn }) => ['workflow', fn.countAll<number>().as('claims')])
    // Says that the partial index will do.
    .where(sql<SqlBool>`lease_until > 0`)
    .where('lease_until', '>', now)
    .groupBy('workflow')
    .execute();
  return new Map(rows.map(({ workflow, claims }) => [workflow, Number(claims)]));
}

/** The first waiting run of each workflow and priority, found by jumping from one to the next, and every lost run. */
async function waitingHeads(database: Database, queries: Queries, now: number): Promise<Head[]> {
  const free = sql`select run_id from ${queued(database)} and lease_until <= ${now}`;
  const first = sql`order by workflow, priority, queued_at, run_id limit 1`;
  const { rows: heads } = await sql<Omit<Head, 'more'>>`
    with recursive heads (head) as (
      select (${free} ${first})
      union all
      select coalesce(
        (${free} and workflow = before.workflow and priority > before.priority ${first}),
        (${free} and workflow > before.workflow ${first})
      )
      from heads join runs as before on before.run_id = head
    )
    select ${headColumns} from heads join runs as found on run_id = head
  `.execute(queries);
  const { rows: lost } = await sql<Omit<Head, 'more'>>`
    select ${headColumns} from ${worked(database)} and lease_until <= ${now}
  `.execute(queries);
  return [
    ...heads.map((head) => ({ ...head, more: true })),
    ...lost.map((head) => ({ ...head, more: false })),
  ];
}

/** A certain run, when it may be claimed. */
async function headOf(queries: Queries, now: number, runId: string): Promise<Head[]> {
  const { rows } = await sql<Omit<Head, 'more'>>`
    select ${headColumns} from runs as found
    where run_id = ${runId} and status in (${sql.join(claimableStatuses)}) and lease_until <= ${now}
  `.execute(queries);
  return rows.map((head) => ({ ...head, more: false }));
}

/** The next runs of the same workflow and priority. */
async function runsBehind(database: Database, queries: Queries, now: number, head: Head): Promise<Head[]> {
  const { workflow, priority, queued_at, run_id } = head;
  const { rows } = await sql<{ run_id: string; queued_at: string }>`
    select run_id, queued_at from ${queued(database)} and lease_until <= ${now}
    and workflow = ${workflow} and priority = ${priority}
    and (queued_at, run_id) > (${queued_at}, ${run_id})
    order by queued_at, run_id limit ${lookAhead}
  `.execute(queries);
  return rows.map((row, index) => ({ ...head, ...row, more: index === lookAhead - 1 }));
}

/** Limits by the names that the table knows workflows under. */
function namedLimits(limits: NonNullable<ClaimRequest['limits']>): NonNullable<ClaimRequest['limits']> {
  if (limits.workflows === undefined) return limits;
  const workflows = Object.entries(limits.workflows).map(([id, limit]) => [columnText(id), limit]);
  return { ...limits, workflows: Object.fromEntries(workflows) as Record<string, number> };
}
