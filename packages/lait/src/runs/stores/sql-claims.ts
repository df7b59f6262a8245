import { sql } from 'kysely';
import type { ClaimRequest, RunLease } from '../run-store.js';
import { nextHead, type QueueHead } from './claim-order.js';
import type { Database, Queries } from './database/database.js';
import { claimableStatuses } from './memory-claims.js';
import { columnText } from './sql-run-rows.js';

/** Claims runs in a transaction of its own. One process claims at a time, so that limits hold. */
export function claimRuns(database: Database, request: ClaimRequest): Promise<RunLease[]> {
  return database.write(async (queries) => {
    if (database.engine === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtext('lait claims'))`.execute(queries);
    const { runId, max = 1, limits = {} } = request;
    const now = await instant(database, queries);
    const active = await activeClaims(queries, now);
    const turns = new Map<string, number>();
    for (const { workflow, turn } of await queries.selectFrom('queue_turns').selectAll().execute())
      turns.set(workflow, turn);
    const leases: RunLease[] = [];
    while (leases.length < max) {
      const heads = await queueHeads(queries, now, runId);
      const next = nextHead(heads, { active, turns, limits: namedLimits(limits) });
      if (next === undefined) break;
      const lease = await claimHead(database, queries, next, now, request);
      // Another transaction ended the run meanwhile.
      if (lease === undefined) continue;
      leases.push(lease);
      active.set(next.workflow, (active.get(next.workflow) ?? 0) + 1);
      turns.set(next.workflow, await takeTurn(queries, next.workflow, turns));
    }
    return leases;
  });
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

/** True while nobody else has claimed the run; holds the row against a claim until the transaction ends. */
export async function isNewestClaim(database: Database, queries: Queries, lease: RunLease): Promise<boolean> {
  const row = await queries
    .selectFrom('runs')
    .select('lease_attempt')
    .where('run_id', '=', lease.run_id)
    .$if(database.engine === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row?.lease_attempt === lease.attempt;
}

async function instant(database: Database, queries: Queries): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${database.now} as now`.execute(queries);
  return Number(rows[0]!.now);
}

async function activeClaims(queries: Queries, now: number): Promise<Map<string, number>> {
  const rows = await queries
    .selectFrom('runs')
    .select(({ fn }) => ['workflow', fn.countAll<number>().as('claims')])
    .where('lease_until', '>', now)
    .groupBy('workflow')
    .execute();
  return new Map(rows.map(({ workflow, claims }) => [workflow, Number(claims)]));
}

/** Since when the first waiting run of each workflow and priority waits. */
async function queueHeads(queries: Queries, now: number, runId: string | undefined): Promise<QueueHead[]> {
  return queries
    .selectFrom('runs')
    .select(({ fn }) => [
      'workflow',
      'priority',
      fn.min<string>(fn.coalesce('queued_at', 'created_at')).as('queued_at'),
    ])
    .where('status', 'in', [...claimableStatuses])
    .where('lease_until', '<=', now)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId!))
    .groupBy(['workflow', 'priority'])
    .execute();
}

async function claimHead(
  database: Database,
  queries: Queries,
  { workflow, priority, queued_at }: QueueHead,
  now: number,
  { worker, leaseMs, runId }: ClaimRequest,
): Promise<RunLease | undefined> {
  const row = await queries
    .selectFrom('runs')
    .select(['run_id', 'lease_attempt'])
    .where('status', 'in', [...claimableStatuses])
    .where('workflow', '=', workflow)
    .where('priority', '=', priority)
    .where(({ fn }) => fn.coalesce('queued_at', 'created_at'), '=', queued_at)
    .where('lease_until', '<=', now)
    .$if(runId !== undefined, (query) => query.where('run_id', '=', runId!))
    .orderBy('run_id')
    .limit(1)
    // Waits for outcomes that the last holder is just writing, and keeps further ones out.
    .$if(database.engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const attempt = row.lease_attempt + 1;
  await queries
    .updateTable('runs')
    .set({ lease_worker: worker, lease_attempt: attempt, lease_until: Math.round(now + leaseMs) })
    .where('run_id', '=', row.run_id)
    .execute();
  return { run_id: row.run_id, worker, attempt };
}

async function takeTurn(
  queries: Queries,
  workflow: string,
  turns: ReadonlyMap<string, number>,
): Promise<number> {
  const turn = Math.max(0, ...turns.values()) + 1;
  await queries
    .insertInto('queue_turns')
    .values({ workflow, turn })
    .onConflict((conflict) => conflict.column('workflow').doUpdateSet({ turn }))
    .execute();
  return turn;
}

/** Limits by the names that the table knows workflows under. */
function namedLimits(limits: NonNullable<ClaimRequest['limits']>): NonNullable<ClaimRequest['limits']> {
  if (limits.workflows === undefined) return limits;
  const workflows = Object.entries(limits.workflows).map(([id, limit]) => [columnText(id), limit]);
  return { ...limits, workflows: Object.fromEntries(workflows) as Record<string, number> };
}
