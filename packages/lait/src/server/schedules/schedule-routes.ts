import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import { type Route, route } from '../http/route.js';
import { callFields } from '../routes/call-fields.js';
import { form, id, json, jsonObject, time } from '../routes/schemas.js';
import type { ServerContext } from '../server-context.js';
import { missedRunPolicies, type Schedule, type ScheduledCall } from './schedule.js';
import { atOf, type ScheduleFields, ScheduleService } from './schedule-service.js';

const tag = 'Schedules';
const scheduleId = z.object({ schedule_id: id });

const fields = {
  name: z.string().max(200),
  workflow: id.describe('A stored workflow, or one of the configuration; its published version runs.'),
  cron: z
    .string()
    .max(200)
    .describe('Five fields, or six with seconds in front: `0 9 * * MON-FRI`. Either this or `at`.'),
  at: time.describe('The time at which it fires once.'),
  time_zone: z.string().max(100).describe('IANA name of the zone in which `cron` counts. Default UTC.'),
  missed_run_policy: z
    .enum(missedRunPolicies)
    .describe(
      'What becomes of times at which no server was there: `skip` leaves them out, `run_once` (default) makes up for all of them with one run, `run_all` starts a run for each.',
    ),
  missed_run_limit: z.int().min(1).max(1000).describe('Of `run_all`: so many of the newest. Default 10.'),
  enabled: z.boolean().describe('Default true.'),
};

const newSchedule = z.strictObject({
  ...fields,
  name: fields.name.optional(),
  cron: fields.cron.optional(),
  at: fields.at.optional(),
  time_zone: fields.time_zone.optional(),
  missed_run_policy: fields.missed_run_policy.optional(),
  missed_run_limit: fields.missed_run_limit.optional(),
  enabled: fields.enabled.optional(),
  ...callFields,
});

const scheduleSchema = z
  .object({
    schedule_id: z.string(),
    ...fields,
    form,
    cron: z.string().nullable(),
    at: time.nullable(),
    input: json,
    inputs: jsonObject.nullable(),
    state: jsonObject.nullable(),
    request_context: jsonObject.nullable(),
    priority: z.int(),
    skip_approval: z.boolean(),
    next_at: time.nullable().describe('When it fires next; null when it never does again.'),
    last_at: time.nullable().describe('The newest time that was due.'),
    last_run_id: z.string().nullable(),
    last_error: z.string().nullable().describe('Why the newest time started no run.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Schedule' });

const answersSchedule = { description: 'The schedule.', schema: scheduleSchema };

export const scheduleRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/schedules',
    operation: 'listSchedules',
    summary: 'List schedules, the newest first',
    tag,
    scope: 'read',
    query: z.strictObject({ workflow: id.optional() }),
    responses: { 200: { description: 'All of them.', schema: z.object({ items: z.array(scheduleSchema) }) } },
    handle: async ({ query }, server) => ({
      body: {
        items: (
          await serviceOf(server).list(query.workflow === undefined ? {} : { workflow: query.workflow })
        ).map(scheduleView),
      },
    }),
  }),
  route({
    method: 'post',
    path: '/schedules',
    operation: 'createSchedule',
    summary: 'Start a workflow at times',
    tag,
    scope: 'write',
    body: newSchedule,
    responses: { 201: answersSchedule },
    async handle({ body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      const schedule = await serviceOf(server).create({
        name: body.name ?? '',
        workflow: body.workflow,
        cron: body.cron ?? null,
        at: body.at === undefined ? null : Date.parse(body.at),
        timeZone: body.time_zone ?? 'UTC',
        call: callOf(body),
        missedRunPolicy: body.missed_run_policy ?? 'run_once',
        missedRunLimit: body.missed_run_limit ?? 10,
        enabled: body.enabled ?? true,
      });
      await server.audit.record(actor, 'schedule.created', schedule.id, { workflow: schedule.workflow });
      return {
        status: 201,
        body: scheduleView(schedule),
        headers: { location: `/v1/schedules/${schedule.id}` },
      };
    },
  }),
  route({
    method: 'get',
    path: '/schedules/{schedule_id}',
    operation: 'getSchedule',
    summary: 'Look at a schedule',
    tag,
    scope: 'read',
    parameters: scheduleId,
    responses: { 200: answersSchedule },
    handle: async ({ path }, server) => ({
      body: scheduleView(await serviceOf(server).get(path.schedule_id)),
    }),
  }),
  route({
    method: 'patch',
    path: '/schedules/{schedule_id}',
    operation: 'changeSchedule',
    summary: 'Change a schedule, or switch it on or off',
    description:
      'What is not named stays. A schedule whose times change, or that is switched on again, begins from now. Of the call, all parts are replaced as soon as one is named.',
    tag,
    scope: 'write',
    parameters: scheduleId,
    body: newSchedule.partial(),
    responses: { 200: answersSchedule },
    async handle({ path, body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      const change: { [Name in keyof ScheduleFields]?: ScheduleFields[Name] | undefined } = {
        name: body.name,
        workflow: body.workflow,
        cron: body.cron,
        at: body.at === undefined ? undefined : Date.parse(body.at),
        timeZone: body.time_zone,
        missedRunPolicy: body.missed_run_policy,
        missedRunLimit: body.missed_run_limit,
        enabled: body.enabled,
        call: Object.keys(callFields).some((name) => Object.hasOwn(body, name)) ? callOf(body) : undefined,
      };
      const changed = await serviceOf(server).change(path.schedule_id, change as Partial<ScheduleFields>);
      await server.audit.record(actor, 'schedule.changed', changed.id, { enabled: changed.enabled });
      return { body: scheduleView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/schedules/{schedule_id}',
    operation: 'deleteSchedule',
    summary: 'Remove a schedule',
    tag,
    scope: 'write',
    parameters: scheduleId,
    responses: { 204: { description: 'Removed; runs that it has started stay.' } },
    async handle({ path, actor }, server) {
      await serviceOf(server).remove(path.schedule_id);
      await server.audit.record(actor, 'schedule.removed', path.schedule_id);
      return { status: 204 };
    },
  }),
];

function serviceOf({ database, catalog }: ServerContext): ScheduleService {
  return new ScheduleService({ database, catalog, now: Date.now });
}

function callOf(body: Partial<Record<keyof typeof callFields, unknown>>): ScheduledCall {
  return {
    ...(body.input !== undefined && { input: body.input as JsonValue }),
    ...(body.inputs !== undefined && { inputs: body.inputs as JsonObject }),
    ...(body.state !== undefined && { state: body.state as JsonObject }),
    ...(body.request_context !== undefined && { request_context: body.request_context as JsonObject }),
    ...(body.priority !== undefined && { priority: body.priority as number }),
    ...(body.skip_approval !== undefined && { skip_approval: body.skip_approval as boolean }),
  };
}

function scheduleView(schedule: Schedule): z.infer<typeof scheduleSchema> {
  const { call: given } = schedule;
  return {
    schedule_id: schedule.id,
    name: schedule.name,
    workflow: schedule.workflow,
    form: schedule.form,
    cron: schedule.cron,
    at: timeOf(atOf(schedule)),
    time_zone: schedule.timeZone,
    input: given.input ?? null,
    inputs: given.inputs ?? null,
    state: given.state ?? null,
    request_context: given.request_context ?? null,
    priority: given.priority ?? 0,
    skip_approval: given.skip_approval ?? false,
    missed_run_policy: schedule.missedRunPolicy,
    missed_run_limit: schedule.missedRunLimit,
    enabled: schedule.enabled,
    next_at: schedule.enabled ? timeOf(schedule.nextAt) : null,
    last_at: timeOf(schedule.lastAt),
    last_run_id: schedule.lastRunId,
    last_error: schedule.lastError,
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  };
}

function timeOf(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
