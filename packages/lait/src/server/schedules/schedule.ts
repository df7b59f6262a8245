import type { Selectable } from 'kysely';
import type { Form } from '../../plan/plan.js';
import type { SchedulesTable } from '../../runs/stores/database/tables.js';
import type { JsonObject, JsonValue } from '../../values/value.js';

/**
 * What becomes of slots that nobody was there for: nothing, one run in place of all of them, or a run for each, the
 * newest of them up to a limit.
 */
export const missedRunPolicies = ['skip', 'run_once', 'run_all'] as const;
export type MissedRunPolicy = (typeof missedRunPolicies)[number];

/** What a scheduled run is called with. */
export interface ScheduledCall {
  input?: JsonValue;
  inputs?: JsonObject;
  state?: JsonObject;
  request_context?: JsonObject;
  priority?: number;
  skip_approval?: boolean;
}

/** When a workflow is started. Instants are milliseconds since 1970. */
export interface Schedule {
  id: string;
  name: string;
  form: Form;
  workflow: string;
  /** Null for one that fires once. */
  cron: string | null;
  timeZone: string;
  call: ScheduledCall;
  missedRunPolicy: MissedRunPolicy;
  /** Of `run_all`. */
  missedRunLimit: number;
  enabled: boolean;
  /** Null when it never fires again. */
  nextAt: number | null;
  /** The newest slot that was looked at, whether it started a run or was left out. */
  lastAt: number | null;
  lastRunId: string | null;
  /** Why the newest slot started no run. */
  lastError: string | null;
  createdAt: string;
  updatedAt: string;
}

export function scheduleOf(row: Selectable<SchedulesTable>): Schedule {
  return {
    id: row.schedule_id,
    name: JSON.parse(row.name) as string,
    form: row.form,
    workflow: row.workflow,
    cron: row.cron,
    timeZone: row.time_zone,
    call: JSON.parse(row.call) as ScheduledCall,
    missedRunPolicy: row.missed_run_policy as MissedRunPolicy,
    missedRunLimit: row.missed_run_limit,
    enabled: row.enabled === 1,
    // PostgreSQL gives long integers as texts.
    nextAt: row.next_at === null ? null : Number(row.next_at),
    lastAt: row.last_at === null ? null : Number(row.last_at),
    lastRunId: row.last_run_id,
    lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as string),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The row of a schedule: texts are JSON, truth values 0 and 1. */
export function scheduleRow(schedule: Schedule): Selectable<SchedulesTable> {
  const { lastError } = schedule;
  return {
    schedule_id: schedule.id,
    name: JSON.stringify(schedule.name),
    form: schedule.form,
    workflow: schedule.workflow,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    call: JSON.stringify(schedule.call),
    missed_run_policy: schedule.missedRunPolicy,
    missed_run_limit: schedule.missedRunLimit,
    enabled: schedule.enabled ? 1 : 0,
    next_at: schedule.nextAt,
    last_at: schedule.lastAt,
    last_run_id: schedule.lastRunId,
    last_error: lastError === null ? null : JSON.stringify(lastError),
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  };
}
