import { type SqlBool, sql } from 'kysely';
import type { ClaimRequest, RunLease } from '../run-store.js';
import { claimableStatuses, nextHead, type QueueHead } from './claim-order.js';
import type { Database, Queries } from './database/database.js';
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
  heads: boolean;
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
  const heads = runId === undefined ? await waitingHeads(queries, now) : await headOf(queries, now, runId);
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
    const behind = next.heads && turns.length < max ? await runsBehind(queries, now, next) : [];
    heads.splice(heads.indexOf(next), 1, ...behind);
  }
  return { now, turns };
}

/** True when there are runs that could be claimed; a look without a transaction. */
export async function isAnyWaiting(database: Database, queries: Queries): Promise<boolean> {
  const free = sql<SqlBool>`lease_until <= ${database.now}`;
  const { any } = await queries
    .selectNoFrom(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom('runs').select('run_id').where(isQueued).where(free)),
        exists(selectFrom('runs').select('run_id').where(isWorked).where(free)),
      ]).as('any'),
    )
    .executeTakeFirstOrThrow();
  return Boolean(any);
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

// Written out and not as parameters: partial indexes are chosen by them.
const isQueued = sql<SqlBool>`status = 'queued'`;
const isWorked = sql<SqlBool>`status in ('running', 'cancelling')`;

async function activeClaims(queries: Queries, now: number): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('runs')
    .select(({ fn }) => ['workflow', fn.countAll<number>().as('claims')])
    .where(sql<SqlBool>`lease_until > 0`)
    .where('lease_until', '>', now)
    .groupBy('workflow')
    .execute();
  return new Map(rows.map(({ workflow, claims }) => [workflow, Number(claims)]));
}

/** The first waiting run of each workflow and priority, found by jumping from one to the next, and every lost run. */
async function waitingHeads(queries: Queries, now: number): Promise<Head[]> {
  const order = sql`order by workflow, priority, queued_at, run_id limit 1`;
  const waiting = sql`from runs as waiting where ${isQueued} and lease_until <= ${now}`;
  const { rows: heads } = await sql<Omit<Head, 'heads'>>`
    with recursive heads (head) as (
      select (select run_id ${waiting} ${order})
      union all
      select (
        select run_id ${waiting}
        and (workflow, priority) > (before.workflow, before.priority) ${order}
      )
      from heads join runs as before on before.run_id = head
    )
    select run_id, runs.workflow, priority, queued_at, ${turnColumns}
    from heads join runs on run_id = head left join queue_turns on queue_turns.workflow = runs.workflow
  `.execute(queries);
  const { rows: lost } = await sql<Omit<Head, 'heads'>>`
    select run_id, runs.workflow, priority, coalesce(queued_at, created_at) as queued_at, ${turnColumns}
    from runs left join queue_turns on queue_turns.workflow = runs.workflow
    where ${isWorked} and lease_until <= ${now}
    order by queued_at, run_id
  `.execute(queries);
  return [
    ...heads.map((head) => ({ ...head, heads: true })),
    ...lost.map((head) => ({ ...head, heads: false })),
  ];
}

const turnColumns = sql`coalesce(turn, 0) as turn, coalesce((select max(turn) from queue_turns), 0) as newest`;

/** A certain run, when it may be claimed. */
async function headOf(queries: Queries, now: number, runId: string): Promise<Head[]> {
  const { rows } = await sql<Omit<Head, 'heads'>>`
    select run_id, runs.workflow, priority, coalesce(queued_at, created_at) as queued_at, ${turnColumns}
    from runs left join queue_turns on queue_turns.workflow = runs.workflow
    where run_id = ${runId} and (${isQueued} or ${isWorked}) and lease_until <= ${now}
  `.execute(queries);
  return rows.map((head) => ({ ...head, heads: false }));
}

/** The next runs of the same workflow and priority. */
async function runsBehind(queries: Queries, now: number, head: Head): Promise<Head[]> {
  const { workflow, priority, queued_at, run_id } = head;
  const rows = await queries
    .selectFrom('runs')
    .select(['run_id', 'queued_at'])
    .where(isQueued)
    .where('workflow', '=', workflow)
    .where('priority', '=', priority)
    .where('lease_until', '<=', now)
    .where(sql<SqlBool>`(queued_at, run_id) > (${queued_at}, ${run_id})`)
    .orderBy('queued_at')
    .orderBy('run_id')
    .limit(lookAhead)
    .execute();
  return rows.map((row, index) => ({
    ...head,
    run_id: row.run_id,
    queued_at: row.queued_at!,
    heads: index === lookAhead - 1,
  }));
}

/** Limits by the names that the table knows workflows under. */
function namedLimits(limits: NonNullable<ClaimRequest['limits']>): NonNullable<ClaimRequest['limits']> {
  if (limits.workflows === undefined) return limits;
  const workflows = Object.entries(limits.workflows).map(([id, limit]) => [columnText(id), limit]);
  return { ...limits, workflows: Object.fromEntries(workflows) as Record<string, number> };
}
