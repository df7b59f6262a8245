import { randomUUID } from 'node:crypto';
import { callOf, contextOf } from '../../runs/run-call.js';
import type { Database } from '../../runs/stores/database/database.js';
import type { JsonObject } from '../../values/value.js';
import { notFound, unprocessable } from '../http/problem.js';
import type { WorkflowCatalog } from '../runs/workflow-catalog.js';
import {
  type MissedRunPolicy,
  type Schedule,
  type ScheduledCall,
  scheduleOf,
  scheduleRow,
} from './schedule.js';
import { checkCron, nextSlot } from './slots.js';

export interface ScheduleServiceOptions {
  database: Database;
  catalog: WorkflowCatalog;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** What somebody says about a schedule. */
export interface ScheduleFields {
  name: string;
  workflow: string;
  /** Either a cron expression, or the instant at which it fires once. */
  cron: string | null;
  at: number | null;
  timeZone: string;
  call: ScheduledCall;
  missedRunPolicy: MissedRunPolicy;
  missedRunLimit: number;
  enabled: boolean;
}

/** The schedules of a server's database. */
export class ScheduleService {
  constructor(private readonly options: ScheduleServiceOptions) {}

  /** Throws an `HttpProblem` (404, 409, 422) or a `UsageError` when the schedule could not start a run. */
  async create(fields: ScheduleFields): Promise<Schedule> {
    const form = await this.#check(fields);
    const now = new Date(this.options.now()).toISOString();
    const schedule: Schedule = {
      ...described(fields),
      id: `sched_${randomUUID().replaceAll('-', '')}`,
      form,
      nextAt: this.#next(fields),
      lastAt: null,
      lastRunId: null,
      lastError: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.options.database.write((queries) =>
      queries.insertInto('schedules').values(scheduleRow(schedule)).execute(),
    );
    return schedule;
  }

  /** Changes what is given. A schedule whose times change, or that is switched on again, begins from now. */
  async change(id: string, change: Partial<ScheduleFields>): Promise<Schedule> {
    const found = await this.get(id);
    const fields: ScheduleFields = { ...found, at: atOf(found), ...withoutUndefined(change) };
    if (change.cron != null) fields.at = null;
    else if (change.at != null) fields.cron = null;
    const times = ['cron', 'at', 'timeZone'] as const;
    const begins = times.some((name) => change[name] !== undefined) || (fields.enabled && !found.enabled);
    const form = await this.#check(fields, begins);
    const changed: Schedule = {
      ...found,
      ...described(fields),
      form,
      ...(begins && { nextAt: this.#next(fields), lastError: null }),
      updatedAt: new Date(this.options.now()).toISOString(),
    };
    await this.options.database.write((queries) => {
      const { schedule_id, next_at, last_at, last_run_id, last_error, ...columns } = scheduleRow(changed);
      return (
        queries
          .updateTable('schedules')
          // What the scheduler writes is left to it, unless the times are new.
          .set(begins ? { ...columns, next_at, last_error } : columns)
          .where('schedule_id', '=', id)
          .execute()
      );
    });
    return this.get(id);
  }

  async get(id: string): Promise<Schedule> {
    const row = await this.options.database.read((queries) =>
      queries.selectFrom('schedules').selectAll().where('schedule_id', '=', id).executeTakeFirst(),
    );
    if (row === undefined) throw notFound('schedule', id);
    return scheduleOf(row);
  }

  /** The newest first. */
  async list({ workflow }: { workflow?: string } = {}): Promise<Schedule[]> {
    const rows = await this.options.database.read((queries) => {
      let query = queries
        .selectFrom('schedules')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('schedule_id', 'desc');
      if (workflow !== undefined) query = query.where('workflow', '=', workflow);
      return query.execute();
    });
    return rows.map(scheduleOf);
  }

  async remove(id: string): Promise<void> {
    const { numDeletedRows } = await this.options.database.write((queries) =>
      queries.deleteFrom('schedules').where('schedule_id', '=', id).executeTakeFirst(),
    );
    if (numDeletedRows === 0n) throw notFound('schedule', id);
  }

  async #check(fields: ScheduleFields, begins = true) {
    const { cron, at, timeZone, call, workflow } = fields;
    if ((cron === null) === (at === null))
      throw unprocessable('schedule_invalid', 'a schedule has either `cron` or `at`', [
        { in: 'body', path: 'cron', message: 'either cron or at' },
      ]);
    checkCron({ cron: cron ?? '* * * * *', timeZone });
    if (begins && fields.enabled && at !== null && at <= this.options.now())
      throw unprocessable('schedule_invalid', 'at: the time has passed', [
        { in: 'body', path: 'at', message: 'the time has passed' },
      ]);
    const { plan } = await this.options.catalog.find(workflow);
    const { input, inputs = {}, state, request_context: requestContext } = call;
    const times: JsonObject = { reference_time: new Date(this.options.now()).toISOString() };
    // What does not fit is told now, not in the night.
    plan.accept(
      callOf({
        ...(input !== undefined && { value: input }),
        inputs,
        context: contextOf(plan.form, {
          times,
          ...(state !== undefined && { state }),
          ...(requestContext !== undefined && { requestContext }),
        }),
      }),
    );
    return plan.form;
  }

  #next({ cron, at, timeZone }: ScheduleFields): number | null {
    return cron === null ? at : nextSlot({ cron, timeZone }, this.options.now());
  }
}

/** When one that fires once fires or has fired. */
export function atOf({ cron, nextAt, lastAt }: Schedule): number | null {
  return cron === null ? (nextAt ?? lastAt) : null;
}

function described(fields: ScheduleFields) {
  const { name, workflow, cron, timeZone, call, missedRunPolicy, missedRunLimit, enabled } = fields;
  return { name, workflow, cron, timeZone, call, missedRunPolicy, missedRunLimit, enabled };
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Partial<T>;
}
