import { z } from 'zod';
import { type Route, route } from '../../http/route.js';
import { id } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { answered } from '../answers.js';
import { badRequest, runNotFound } from './errors.js';
import { RunCalls } from './run-calls.js';
import { runStatusesOf } from './run-history.js';
import { runStream } from './run-stream.js';
import { pendingDetails, pendingRow, runDetails, runRow } from './run-view.js';
import { servedWorkflow } from './served-workflows.js';

const tag = 'Runs';
const workflowId = z.object({ workflow: id });
const runPath = z.object({ workflow: id, run: id });
const anyQuery = z.object({ runId: id.optional() });

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
        if (query.runId === undefined) throw badRequest('runId required');
        const run = await new RunCalls(server, path.workflow).run(query.runId);
        return runStream(server, { run, skip: query.offset ?? 0, until: 'parked', signal });
      },
    }),
  ),
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
      const requested = await calls.requested.find(path.run);
      const run = await calls.find(path.run, requested);
      const fields = query.fields?.split(',').map((field) => field.trim());
      if (run !== undefined) return { body: await runDetails(server, run, fields) };
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

async function rowsOf(
  server: ServerContext,
  workflow: string,
  runIds: readonly string[],
): Promise<unknown[]> {
  const calls = new RunCalls(server, workflow);
  const requested = await calls.requested.findAll(runIds);
  const rows: unknown[] = [];
  for (const runId of runIds) {
    const asked = requested.get(runId);
    const run = await calls.find(runId, asked);
    if (run !== undefined) rows.push(await runRow(server, run));
    else if (asked !== undefined) rows.push(pendingRow(asked));
  }
  return rows;
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
