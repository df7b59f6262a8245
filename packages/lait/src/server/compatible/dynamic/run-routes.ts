import { z } from 'zod';
import { isLaitError } from '../../../errors/lait-error.js';
import { HttpProblem } from '../../http/problem.js';
import { type Route, type RouteAnswer, type RouteRequest, route } from '../../http/route.js';
import { id, jsonObject } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { badRequest, runNotFound } from './errors.js';
import { RunCalls, refusedStream } from './run-calls.js';
import { runStatusesOf } from './run-history.js';
import { fixedStream, runStream } from './run-stream.js';
import { pendingDetails, pendingRow, runDetails, runResult, runRow } from './run-view.js';
import { servedWorkflow } from './served-workflows.js';

const tag = 'Runs';
const answered = { 200: { description: 'As the client expects it.' } };
const workflowId = z.object({ workflow: id });
const runPath = z.object({ workflow: id, run: id });
const anyQuery = z.object({ runId: id.optional() });

const startBody = z
  .object({
    inputData: z.unknown().optional(),
    initialState: jsonObject.nullish(),
    requestContext: jsonObject.nullish(),
    resourceId: z.string().max(200).optional(),
    perStep: z.boolean().optional(),
    closeOnSuspend: z.boolean().optional(),
  })
  .default({});

const resumeBody = z
  .object({
    step: z.union([z.string(), z.array(z.string())]).optional(),
    resumeData: z.unknown().optional(),
    forEachIndex: z.int().min(0).optional(),
    perStep: z.boolean().optional(),
  })
  .default({});

type StartRequest = RouteRequest<
  z.infer<typeof workflowId>,
  z.infer<typeof anyQuery>,
  z.infer<typeof startBody>
>;
type ResumeRequest = RouteRequest<
  z.infer<typeof workflowId>,
  z.infer<typeof anyQuery>,
  z.infer<typeof resumeBody>
>;

export const runRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/workflows/{workflow}/create-run',
    operation: 'createDynamicRun',
    summary: 'Get an id for a run',
    tag,
    scope: 'run',
    parameters: workflowId,
    query: anyQuery,
    body: z.object({ resourceId: z.string().max(200).optional() }).default({}),
    responses: answered,
    handle: async ({ path, query, body }, server) => ({
      body: {
        runId: await new RunCalls(server, path.workflow).request({
          runId: query.runId,
          resourceId: body.resourceId,
        }),
      },
    }),
  }),
  start('start', 'startDynamicRun', 'Start a run and do not wait for it', async (request, server) => {
    const { path, query, body, actor } = request;
    if (query.runId === undefined) throw badRequest('runId required to start run');
    await new RunCalls(server, path.workflow).start(query.runId, body, actor, { mustExist: true });
    return { body: { message: 'Workflow run started' } };
  }),
  start('start-async', 'startDynamicRunAsync', 'Run, and answer with the result', async (request, server) => {
    const { path, query, body, actor, signal } = request;
    const calls = new RunCalls(server, path.workflow);
    const { run_id } = await calls.start(query.runId, body, actor);
    await calls.settled(run_id, signal);
    return { body: await runResult(server, run_id) };
  }),
  start('stream', 'streamDynamicRun', 'Run, and tell what happens', async (request, server) => {
    const { path, query, body, actor, signal } = request;
    const until = body.closeOnSuspend === false ? 'ended' : 'parked';
    try {
      const { run_id } = await new RunCalls(server, path.workflow).start(query.runId, body, actor);
      return runStream(server, { runId: run_id, until, signal });
    } catch (error) {
      if (!isRefusedInput(error)) throw error;
      return fixedStream(await refusedStream(server, path.workflow, query.runId ?? '', error.message));
    }
  }),
  ...(['observe', 'observe-stream'] as const).map((name) =>
    route({
      method: 'post',
      path: `/workflows/{workflow}/${name}`,
      operation: name === 'observe' ? 'observeDynamicRun' : 'observeDynamicRunStream',
      summary: 'Tell what has happened in a run, and what happens',
      tag,
      scope: 'read',
      parameters: workflowId,
      query: anyQuery.extend({ offset: z.coerce.number().int().min(0).optional() }),
      responses: answered,
      async handle({ path, query, signal }, server) {
        const record = await new RunCalls(server, path.workflow).record(requireRunId(query.runId));
        return runStream(server, { runId: record.run_id, skip: query.offset ?? 0, until: 'parked', signal });
      },
    }),
  ),
  resume(
    'resume',
    'resumeDynamicRun',
    'Go on with a suspended run',
    async ({ path, query, body, actor }, server) => {
      await new RunCalls(server, path.workflow).resume(requireRunId(query.runId), body, actor);
      return { body: { message: 'Workflow run resumed' } };
    },
  ),
  resume(
    'resume-no-wait',
    'resumeDynamicRunNoWait',
    'Go on with a suspended run',
    async (request, server) => {
      const { path, query, body, actor } = request;
      const runId = requireRunId(query.runId);
      await new RunCalls(server, path.workflow).resume(runId, body, actor);
      return { body: { message: 'Workflow run resumed', runId } };
    },
  ),
  resume(
    'resume-async',
    'resumeDynamicRunAsync',
    'Go on, and answer with the result',
    async (request, server) => {
      const { path, query, body, actor, signal } = request;
      const runId = requireRunId(query.runId);
      const calls = new RunCalls(server, path.workflow);
      await calls.resume(runId, body, actor);
      await calls.settled(runId, signal);
      return { body: await runResult(server, runId) };
    },
  ),
  resume(
    'resume-stream',
    'resumeDynamicRunStream',
    'Go on, and tell what happens',
    async (request, server) => {
      const { path, query, body, actor, signal } = request;
      const runId = requireRunId(query.runId);
      const after = await new RunCalls(server, path.workflow).resume(runId, body, actor);
      return runStream(server, { runId, after, until: 'parked', signal });
    },
  ),
  restart('restart', 'restartDynamicRun', async () => ({ message: 'Workflow run restarted' })),
  restart('restart-async', 'restartDynamicRunAsync', async (server, calls, runId, signal) => {
    await calls.settled(runId, signal);
    return runResult(server, runId);
  }),
  route({
    method: 'post',
    path: '/workflows/{workflow}/runs/{run}/cancel',
    operation: 'cancelDynamicRun',
    summary: 'End a run',
    tag,
    scope: 'run',
    parameters: runPath,
    responses: answered,
    async handle({ path, actor }, server) {
      await new RunCalls(server, path.workflow).cancel(path.run, actor);
      return { body: { message: 'Workflow run cancelled' } };
    },
  }),
  route({
    method: 'get',
    path: '/workflows/{workflow}/runs',
    operation: 'listDynamicRuns',
    summary: 'List the runs of a workflow, the newest first',
    tag,
    scope: 'read',
    parameters: workflowId,
    query: z.object({
      fromDate: date().optional(),
      toDate: date().optional(),
      page: number(0, 1_000_000).optional(),
      perPage: number(1, 1000).optional(),
      limit: number(1, 1000).optional(),
      offset: number(0, 1_000_000_000).optional(),
      resourceId: z.string().optional(),
      status: z.string().optional(),
    }),
    responses: answered,
    async handle({ path, query }, server) {
      await servedWorkflow(server, path.workflow);
      const { status } = query;
      const limit = query.perPage ?? query.limit ?? 100;
      const offset = query.offset ?? (query.page ?? 0) * limit;
      const { requested } = new RunCalls(server, path.workflow);
      const { runIds, total } = await requested.list(
        {
          workflow: path.workflow,
          ...(query.resourceId !== undefined && { resourceId: query.resourceId }),
          ...(query.fromDate !== undefined && { from: query.fromDate }),
          ...(query.toDate !== undefined && { to: query.toDate }),
          ...(status !== undefined && { statuses: runStatusesOf(status) }),
          states:
            status === undefined
              ? ['pending', 'canceled']
              : status === 'pending' || status === 'canceled'
                ? [status]
                : [],
        },
        { limit, offset },
      );
      return { body: { runs: await rowsOf(server, path.workflow, runIds), total } };
    },
  }),
  route({
    method: 'get',
    path: '/workflows/{workflow}/runs/{run}',
    operation: 'getDynamicRun',
    summary: 'Look at a run',
    tag,
    scope: 'read',
    parameters: runPath,
    query: z.object({ fields: z.string().optional() }),
    responses: answered,
    async handle({ path, query }, server) {
      const calls = new RunCalls(server, path.workflow);
      const record = await calls.find(path.run);
      const requested = await calls.requested.find(path.run);
      const fields = query.fields?.split(',').map((field) => field.trim());
      if (record !== undefined) return { body: await runDetails(server, record, requested, fields) };
      if (requested?.workflow !== path.workflow) throw runNotFound();
      return { body: pendingDetails(requested) };
    },
  }),
  route({
    method: 'delete',
    path: '/workflows/{workflow}/runs/{run}',
    operation: 'deleteDynamicRun',
    summary: 'Remove a run that has ended',
    tag,
    scope: 'write',
    parameters: runPath,
    responses: answered,
    async handle({ path, actor }, server) {
      await new RunCalls(server, path.workflow).remove(path.run, actor);
      return { body: { message: 'Workflow run deleted' } };
    },
  }),
];

function start(
  name: string,
  operation: string,
  summary: string,
  handle: (request: StartRequest, server: ServerContext) => Promise<RouteAnswer>,
): Route {
  return route({
    method: 'post',
    path: `/workflows/{workflow}/${name}`,
    operation,
    summary,
    tag,
    scope: 'run',
    parameters: workflowId,
    query: anyQuery,
    body: startBody,
    responses: answered,
    handle(request, server) {
      requireWholeRun(request.body);
      return handle(request as StartRequest, server);
    },
  });
}

function resume(
  name: string,
  operation: string,
  summary: string,
  handle: (request: ResumeRequest, server: ServerContext) => Promise<RouteAnswer>,
): Route {
  return route({
    method: 'post',
    path: `/workflows/{workflow}/${name}`,
    operation,
    summary,
    tag,
    scope: 'answer',
    parameters: workflowId,
    query: anyQuery,
    body: resumeBody,
    responses: answered,
    handle(request, server) {
      requireWholeRun(request.body);
      return handle(request as ResumeRequest, server);
    },
  });
}

/** Lets a run go on that its process left behind. */
function restart(
  name: string,
  operation: string,
  answer: (server: ServerContext, calls: RunCalls, runId: string, signal: AbortSignal) => Promise<unknown>,
): Route {
  return route({
    method: 'post',
    path: `/workflows/{workflow}/${name}`,
    operation,
    summary: 'Let an interrupted run go on',
    tag,
    scope: 'run',
    parameters: workflowId,
    query: anyQuery,
    body: z.object({}).default({}),
    responses: answered,
    async handle({ path, query, actor, signal }, server) {
      const calls = new RunCalls(server, path.workflow);
      const { run_id } = await calls.record(requireRunId(query.runId));
      await server.runs.resume(run_id, actor);
      return { body: await answer(server, calls, run_id, signal) };
    },
  });
}

async function rowsOf(
  server: ServerContext,
  workflow: string,
  runIds: readonly string[],
): Promise<unknown[]> {
  const calls = new RunCalls(server, workflow);
  const requested = await calls.requested.findAll(runIds);
  const rows: unknown[] = [];
  for (const runId of runIds) {
    const record = await calls.find(runId);
    const asked = requested.get(runId);
    if (record !== undefined) rows.push(await runRow(server, record, asked));
    else if (asked !== undefined) rows.push(pendingRow(asked));
  }
  return rows;
}

function requireRunId(runId: string | undefined): string {
  if (runId === undefined) throw badRequest('runId required');
  return runId;
}

function requireWholeRun({ perStep }: { perStep?: boolean | undefined }): void {
  if (perStep === true)
    throw new HttpProblem({
      status: 501,
      code: 'not_offered',
      detail: 'perStep is not offered: a run goes on until it has ended or waits',
    });
}

/** Input, state or request context do not fit their schemas. */
function isRefusedInput(error: unknown): error is Error {
  const refusals = ['input_invalid', 'state_invalid', 'request_context_invalid', 'inputs_invalid'];
  return isLaitError(error) && refusals.includes(error.code);
}

function number(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}

function date() {
  return z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date')
    .transform((text) => new Date(text).toISOString());
}
