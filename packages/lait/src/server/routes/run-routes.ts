import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isLaitError } from '../../errors/lait-error.js';
import type { RunStatus } from '../../runs/run-status.js';
import type { RunFilter } from '../../runs/run-store.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import type { Actor } from '../access/scopes.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { type Route, route } from '../http/route.js';
import type { NewRun } from '../runs/run-service.js';
import { callFields } from './call-fields.js';
import { answersRun, nodeSchema, nodeView, runPath, runSchema, runView } from './run-view.js';
import { count, cursor, flag, form, id, listOf, runStatus, time } from './schemas.js';

const tag = 'Runs';

const newRun = z.strictObject({
  workflow: id.describe('A stored workflow, or one of the configuration.'),
  version: z.int().min(1).optional().describe('Of a stored workflow. Default: the published one.'),
  run_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .optional()
    .describe('Default: a new random id.'),
  ...callFields,
  reference_time: time.optional().describe('The frozen "now" of date expressions of the graph form.'),
});

/** Runs as a whole: started, found, looked at, removed. */
export const runRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/runs',
    operation: 'createRun',
    summary: 'Start a run',
    description:
      'The run is recorded and queued, or waits for approval. With an `idempotency-key` header, a repeated request gives the run that the first one made.',
    tag,
    scope: 'run',
    body: newRun,
    responses: { 201: answersRun, 200: { ...answersRun, description: 'The run of an earlier request.' } },
    async handle({ body, actor, headers }, server) {
      const key = headers.get('idempotency-key');
      const { run_id = key === null ? undefined : keyedRunId(actor, key) } = body;
      requireConsent(actor, body.skip_approval);
      try {
        const record = await server.runs.create(newRunOf(body, run_id), actor);
        const location = `/v1/runs/${encodeURIComponent(record.run_id)}`;
        return { status: 201, body: runView(record), headers: { location } };
      } catch (error) {
        if (key === null || run_id === undefined || !isLaitError(error) || error.code !== 'run_exists')
          throw error;
        return { status: 200, body: runView(await server.runs.get(run_id)) };
      }
    },
  }),
  route({
    method: 'get',
    path: '/runs',
    operation: 'listRuns',
    summary: 'List runs, the newest first',
    tag,
    scope: 'read',
    query: z.strictObject({
      status: listOf(runStatus).optional().describe('One or several, separated by commas.'),
      form: listOf(form).optional(),
      workflow: id.optional(),
      created_from: time.optional(),
      created_before: time.optional(),
      order: z.enum(['newest', 'oldest']).optional(),
      limit: count(50, 500),
      cursor: cursor.optional(),
    }),
    responses: {
      200: {
        description: 'A page of runs.',
        schema: z.object({ items: z.array(runSchema), total: z.int(), next_cursor: z.string().nullable() }),
      },
    },
    async handle({ query }, server) {
      const selection: RunFilter = {
        ...(query.status !== undefined && { statuses: query.status as RunStatus[] }),
        ...(query.form !== undefined && { forms: query.form }),
        ...(query.workflow !== undefined && { workflow: query.workflow }),
        ...(query.created_from !== undefined && { createdFrom: utc(query.created_from) }),
        ...(query.created_before !== undefined && { createdBefore: utc(query.created_before) }),
      };
      const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 2);
      const records = await server.runs.list({
        ...selection,
        ...(query.order !== undefined && { order: query.order }),
        ...(after !== undefined && { after: { created_at: after[0]!, run_id: after[1]! } }),
        limit: query.limit + 1,
      });
      const { page, next_cursor } = pageOf(records, query.limit, (run) => [run.created_at, run.run_id]);
      return {
        body: { items: page.map(runView), total: await server.runs.count(selection), next_cursor },
      };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}',
    operation: 'getRun',
    summary: 'Look at a run',
    tag,
    scope: 'read',
    parameters: runPath,
    query: z.strictObject({ nodes: flag.optional().describe('With every attempt of its nodes.') }),
    responses: {
      200: {
        description: 'The run.',
        schema: runSchema.extend({ nodes: z.array(nodeSchema).optional() }).meta({ id: 'RunWithNodes' }),
      },
    },
    async handle({ path, query }, server) {
      if (query.nodes !== true) return { body: runView(await server.runs.get(path.run_id)) };
      const { run, nodes } = await server.runs.view(path.run_id);
      return { body: { ...runView(run), nodes: nodes.map(nodeView) } };
    },
  }),
  route({
    method: 'delete',
    path: '/runs/{run_id}',
    operation: 'deleteRun',
    summary: 'Remove a run that has ended',
    tag,
    scope: 'write',
    parameters: runPath,
    responses: { 204: { description: 'Removed, with its log and record.' } },
    async handle({ path, actor }, server) {
      await server.runs.remove(path.run_id, actor);
      return { status: 204 };
    },
  }),
];

function newRunOf(body: z.infer<typeof newRun>, run_id: string | undefined): NewRun {
  return {
    workflow: body.workflow,
    ...(body.version !== undefined && { version: body.version }),
    ...(run_id !== undefined && { runId: run_id }),
    ...(body.input !== undefined && { input: body.input as JsonValue }),
    ...(body.inputs !== undefined && { inputs: body.inputs as JsonObject }),
    ...(body.state !== undefined && { state: body.state as JsonObject }),
    ...(body.request_context !== undefined && { requestContext: body.request_context as JsonObject }),
    ...(body.reference_time !== undefined && { referenceTime: body.reference_time }),
    ...(body.priority !== undefined && { priority: body.priority }),
    ...(body.skip_approval !== undefined && { skipApproval: body.skip_approval }),
  };
}

/** The same key of the same caller names the same run. */
function keyedRunId(actor: Actor, key: string): string {
  return `wrun_${createHash('sha256').update(`${actor.id}\0${key}`).digest('hex').slice(0, 32)}`;
}

/** Stored times are UTC and compared as texts. */
function utc(text: string): string {
  return new Date(text).toISOString();
}
