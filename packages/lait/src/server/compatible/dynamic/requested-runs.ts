import type { Selectable } from 'kysely';
import type { RunStatus } from '../../../runs/run-status.js';
import type { Database } from '../../../runs/stores/database/database.js';
import type { DynamicRunsTable } from '../../../runs/stores/database/tables.js';
import { columnText } from '../../../runs/stores/sql/sql-run-rows.js';

/** A run that a client has asked for; `pending` until it is started. */
export interface RequestedRun {
  runId: string;
  workflow: string;
  resourceId: string | undefined;
  state: 'pending' | 'started' | 'canceled';
  /** The run that stands for it now: another one after a journey through time. */
  currentRunId: string;
  createdAt: string;
  updatedAt: string;
}

/** What a client lists runs by. */
export interface RequestedRunFilter {
  workflow: string;
  resourceId?: string;
  from?: string;
  to?: string;
  /** Statuses of runs that were started. Default: any. */
  statuses?: readonly RunStatus[];
  /** Which of the others belong to the list. */
  states: readonly RequestedRun['state'][];
}

/**
 * Runs as clients of the dynamic form ask for them: an id comes first, the start later, and a run may belong to
 * somebody. What a run is once it was started, the run store knows.
 */
export class RequestedRuns {
  constructor(private readonly database: Database) {}

  /** Adds a run that is not started yet; one that is known already stays as it is. */
  async request(runId: string, workflow: string, resourceId: string | undefined): Promise<void> {
    const now = new Date().toISOString();
    const row = {
      run_id: runId,
      workflow: columnText(workflow),
      resource_id: resourceId === undefined ? null : JSON.stringify(resourceId),
      state: 'pending',
      current_run_id: runId,
      created_at: now,
      updated_at: now,
    };
    await this.database.write((queries) =>
      queries
        .insertInto('dynamic_runs')
        .values(row)
        .onConflict((conflict) => conflict.column('run_id').doNothing())
        .execute(),
    );
  }

  async find(runId: string): Promise<RequestedRun | undefined> {
    const row = await this.database.read((queries) =>
      queries.selectFrom('dynamic_runs').selectAll().where('run_id', '=', runId).executeTakeFirst(),
    );
    return row === undefined ? undefined : requestedOf(row);
  }

  async findAll(runIds: readonly string[]): Promise<Map<string, RequestedRun>> {
    if (runIds.length === 0) return new Map();
    const rows = await this.database.read((queries) =>
      queries
        .selectFrom('dynamic_runs')
        .selectAll()
        .where('run_id', 'in', [...runIds])
        .execute(),
    );
    return new Map(rows.map((row) => [row.run_id, requestedOf(row)]));
  }

  async mark(runId: string, state: RequestedRun['state']): Promise<void> {
    const updated_at = new Date().toISOString();
    await this.database.write((queries) =>
      queries.updateTable('dynamic_runs').set({ state, updated_at }).where('run_id', '=', runId).execute(),
    );
  }

  /** From now on another run stands for it; the one before is its past and listed no more. */
  async replace(runId: string, workflow: string, before: string, current: string): Promise<void> {
    const now = new Date().toISOString();
    const row = {
      workflow: columnText(workflow),
      resource_id: null,
      state: 'started',
      created_at: now,
      updated_at: now,
    };
    const past = before === runId ? [] : [{ ...row, run_id: before, current_run_id: '' }];
    await this.database.write(async (queries) => {
      for (const { run_id, current_run_id } of [{ run_id: runId, current_run_id: current }, ...past])
        await queries
          .insertInto('dynamic_runs')
          .values({ ...row, run_id, current_run_id })
          .onConflict((conflict) =>
            conflict.column('run_id').doUpdateSet({ current_run_id, state: 'started', updated_at: now }),
          )
          .execute();
    });
  }

  async remove(runId: string): Promise<void> {
    await this.database.write((queries) =>
      queries.deleteFrom('dynamic_runs').where('run_id', '=', runId).execute(),
    );
  }

  /** Ids of a workflow's runs, the newest first, and how many there are in all. */
  async list(
    filter: RequestedRunFilter,
    page: { limit: number; offset: number },
  ): Promise<{ runIds: string[]; total: number }> {
    return this.database.read(async (queries) => {
      const workflow = columnText(filter.workflow);
      const resource = filter.resourceId === undefined ? undefined : JSON.stringify(filter.resourceId);
      let started = queries
        .selectFrom('runs')
        .leftJoin('dynamic_runs', 'dynamic_runs.current_run_id', 'runs.run_id')
        .select(({ fn }) => [
          fn.coalesce('dynamic_runs.run_id', 'runs.run_id').as('run_id'),
          'runs.created_at as created_at',
        ])
        .where('runs.form', '=', 'dynamic')
        .where('runs.workflow', '=', workflow)
        // The past of a run is not listed beside it.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('dynamic_runs as past')
                .select('past.run_id')
                .whereRef('past.run_id', '=', 'runs.run_id')
                .whereRef('past.current_run_id', '<>', 'past.run_id'),
            ),
          ),
        );
      let others = queries
        .selectFrom('dynamic_runs')
        .select(['dynamic_runs.run_id as run_id', 'dynamic_runs.created_at as created_at'])
        .where('dynamic_runs.workflow', '=', workflow)
        .where('dynamic_runs.state', 'in', filter.states.length === 0 ? ['none'] : [...filter.states])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('runs').select('runs.run_id').whereRef('runs.run_id', '=', 'dynamic_runs.run_id'),
            ),
          ),
        );
      const { statuses } = filter;
      if (statuses !== undefined)
        started = started.where(({ eb, lit }) =>
          statuses.length === 0 ? lit(false) : eb('runs.status', 'in', [...statuses]),
        );
      if (resource !== undefined) {
        started = started.where('dynamic_runs.resource_id', '=', resource);
        others = others.where('dynamic_runs.resource_id', '=', resource);
      }
      if (filter.from !== undefined) {
        started = started.where('runs.created_at', '>=', filter.from);
        others = others.where('dynamic_runs.created_at', '>=', filter.from);
      }
      if (filter.to !== undefined) {
        started = started.where('runs.created_at', '<=', filter.to);
        others = others.where('dynamic_runs.created_at', '<=', filter.to);
      }
      const both = queries.selectFrom(started.unionAll(others).as('both'));
      const rows = await both
        .select('both.run_id')
        .orderBy('both.created_at', 'desc')
        .orderBy('both.run_id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      const { count } = await both
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return { runIds: rows.map(({ run_id }) => run_id), total: Number(count) };
    });
  }

  /** Removes what was never started, or whose run is gone, since a time. */
  async removeBefore(time: string): Promise<void> {
    await this.database.write((queries) =>
      queries
        .deleteFrom('dynamic_runs')
        .where('updated_at', '<', time)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('runs')
                .select('runs.run_id')
                .where(({ eb, ref }) =>
                  eb('runs.run_id', 'in', [ref('dynamic_runs.run_id'), ref('dynamic_runs.current_run_id')]),
                ),
            ),
          ),
        )
        .execute(),
    );
  }
}

function requestedOf(row: Selectable<DynamicRunsTable>): RequestedRun {
  return {
    runId: row.run_id,
    workflow: row.workflow,
    resourceId: row.resource_id === null ? undefined : (JSON.parse(row.resource_id) as string),
    state: row.state as RequestedRun['state'],
    currentRunId: row.current_run_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
