import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isLaitError } from '../../errors/lait-error.js';
import type { RunStatus } from '../../runs/run-status.js';
import type { RunFilter } from '../../runs/run-store.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import type { Actor } from '../access/scopes.js';
import { decodeCursor, encodeCursor } from '../http/cursor.js';
import { type Route, route } from '../http/route.js';
import { runEventStream } from '../http/run-event-stream.js';
import type { NewRun } from '../runs/run-service.js';
import type { ServerContext } from '../server-context.js';
import { eventSchema, eventView, nodeSchema, nodeView, runSchema, runView } from './run-view.js';
import { count, cursor, flag, form, id, json, jsonObject, listOf, runStatus, time } from './schemas.js';

const runId = z.object({ run_id: id });
const tag = 'Runs';
const answersRun = { description: 'The run as it stands now.', schema: runSchema };

const newRun = z.strictObject({
  workflow: id.describe('A stored workflow, or one of the configuration.'),
  version: z.int().min(1).optional().describe('Of a stored workflow. Default: the published one.'),
  run_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .optional()
    .describe('Default: a new random id.'),
  input: json.optional().describe('The piped value of the steps form, the input of the dynamic form.'),
  inputs: jsonObject.optional().describe('Named inputs of the steps and graph forms.'),
  state: jsonObject.optional().describe('Shared state of the dynamic form at the start.'),
  request_context: jsonObject.optional().describe('Values that travel along in the dynamic form.'),
  reference_time: time.optional().describe('The frozen "now" of date expressions of the graph form.'),
  priority: z.int().min(-1000).max(1000).optional().describe('Higher ones are begun first. Default 0.'),
  skip_approval: z
    .boolean()
    .optional()
    .describe('Begins without a person’s consent; needs the scope `answer`.'),
});

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
      const page = records.slice(0, query.limit);
      const last = page.at(-1);
      const more = records.length > query.limit && last !== undefined;
      return {
        body: {
          items: page.map(runView),
          total: await server.runs.count(selection),
          next_cursor: more ? encodeCursor([last.created_at, last.run_id]) : null,
        },
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
    parameters: runId,
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
    parameters: runId,
    responses: { 204: { description: 'Removed, with its log and record.' } },
    async handle({ path, actor }, server) {
      await server.runs.remove(path.run_id, actor);
      return { status: 204 };
    },
  }),
  action(
    'cancel',
    'run',
    'Ask a run to end',
    'What is under way is stopped and awaited: the run is then `cancelling`.',
    (runId, actor, server) => server.runs.cancel(runId, actor),
  ),
  action(
    'resume',
    'run',
    'Let an interrupted run go on',
    'What is recorded is not repeated.',
    (runId, actor, server) => server.runs.resume(runId, actor),
  ),
  action('approve', 'answer', 'Consent to everything that a run will do', undefined, (runId, actor, server) =>
    server.runs.approve(runId, actor),
  ),
  route({
    method: 'post',
    path: '/runs/{run_id}/rerun',
    operation: 'rerunRun',
    summary: 'Repeat a run that has ended as a new one',
    description:
      'From the same definition, with its inputs or others. `from` names a step of the top level: what happened before it is reused.',
    tag,
    scope: 'run',
    parameters: runId,
    body: z
      .strictObject({
        inputs: json.optional().describe('In place of the inputs of the run.'),
        changed_inputs: jsonObject.optional().describe('Single inputs in place of those.'),
        from: id.optional().describe('Id of a step of the top level, or its path, e.g. `steps[2]`.'),
        skip_approval: z.boolean().optional(),
      })
      .default({}),
    responses: { 201: { description: 'The new run.', schema: runSchema } },
    async handle({ path, body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      const record = await server.runs.rerun(
        path.run_id,
        {
          ...(body.inputs !== undefined && { inputs: body.inputs as JsonValue }),
          ...(body.changed_inputs !== undefined && { changedInputs: body.changed_inputs as JsonObject }),
          ...(body.from !== undefined && { from: body.from }),
          ...(body.skip_approval !== undefined && { skipApproval: body.skip_approval }),
        },
        actor,
      );
      return { status: 201, body: runView(record) };
    },
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/answer',
    operation: 'answerRun',
    summary: 'Answer an open question of a run',
    tag,
    scope: 'answer',
    parameters: runId,
    body: z.strictObject({
      answer: json,
      question: id.optional().describe('Address or id of the question; not needed when there is only one.'),
    }),
    responses: { 200: answersRun },
    handle: async ({ path, body, actor }, server) => ({
      body: runView(
        await server.runs.answer(path.run_id, (body.answer ?? null) as JsonValue, body.question, actor),
      ),
    }),
  }),
  route({
    method: 'post',
    path: '/runs/{run_id}/attention',
    operation: 'decideRun',
    summary: 'Decide about a call whose outcome is not known',
    tag,
    scope: 'answer',
    parameters: runId,
    body: z.strictObject({
      decision: z.enum(['adopt', 'fail', 'reexecute', 'interrupt']),
      question: id.optional(),
      output: json.optional().describe('The result to adopt when none is known.'),
      reason: z.string().max(2000).optional(),
    }),
    responses: { 200: answersRun },
    async handle({ path, body, actor }, server) {
      const { decision, question: address, output, reason } = body;
      const options = {
        ...(address !== undefined && { address }),
        ...(output !== undefined && { output: output as JsonValue }),
        ...(reason !== undefined && { reason }),
      };
      return { body: runView(await server.runs.decide(path.run_id, decision, options, actor)) };
    },
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}/log',
    operation: 'getRunLog',
    summary: 'Read the log of a run',
    tag,
    scope: 'read',
    parameters: runId,
    query: z.strictObject({
      after: z.coerce
        .number()
        .int()
        .min(0)
        .max(2_147_483_647)
        .default(0)
        .describe('Number of the last entry seen.'),
      limit: count(200, 1000),
    }),
    responses: {
      200: { description: 'Entries in order.', schema: z.object({ items: z.array(eventSchema) }) },
    },
    handle: async ({ path, query }, server) => ({
      body: { items: (await server.runs.events(path.run_id, query)).map(eventView) },
    }),
  }),
  route({
    method: 'get',
    path: '/runs/{run_id}/events',
    operation: 'followRun',
    summary: 'Follow the log of a run',
    description:
      'Server-sent events: `id` is the number of the entry, `event` its type, `data` the entry. With `Last-Event-ID` (or `?last_event_id=`) the stream goes on behind that entry. Comments are heartbeats. The stream ends with the run; with `until=parked` also when it waits for somebody. With `tokens=true` it also tells what models write, while they write it, when this process works on the run: events `model.token` (`{type, node_id, activation_id, address, label, request_name, text, reasoning}`) without an `id`, which no log keeps; `model.tokens_skipped` (`{type, characters}`) says how much was left out because the client was slow.',
    tag,
    scope: 'read',
    parameters: runId,
    query: z.strictObject({
      last_event_id: z.string().max(20).optional(),
      until: z.enum(['ended', 'parked']).optional(),
      tokens: flag.optional().describe('Also what models write, while they write it. Default false.'),
    }),
    responses: { 200: { description: 'The stream.', content: 'text/event-stream' } },
    handle: ({ query, ...request }, server) =>
      runEventStream(request, server, {
        runId: request.path.run_id,
        until: query.until ?? 'ended',
        tokens: query.tokens === true,
      }),
  }),
];

function action(
  name: 'cancel' | 'resume' | 'approve',
  scope: 'run' | 'answer',
  summary: string,
  description: string | undefined,
  act: (runId: string, actor: Actor, server: ServerContext) => Promise<Parameters<typeof runView>[0]>,
): Route {
  return route({
    method: 'post',
    path: `/runs/{run_id}/${name}`,
    operation: `${name}Run`,
    summary,
    ...(description !== undefined && { description }),
    tag,
    scope,
    parameters: runId,
    responses: { 200: answersRun },
    handle: async ({ path, actor }, server) => ({ body: runView(await act(path.run_id, actor, server)) }),
  });
}

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
