import { z } from 'zod';
import { type Route, route } from '../../http/route.js';
import { id } from '../../routes/schemas.js';
import { answered } from '../answers.js';
import { servedWorkflow, servedWorkflows } from './served-workflows.js';
import { detailsOf, partialDetailsOf } from './workflow-view.js';

const tag = 'Workflows';

export const workflowRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/workflows',
    operation: 'listDynamicFormWorkflows',
    summary: 'List the workflows of the dynamic form',
    tag,
    scope: 'read',
    query: z.object({ partial: z.string().optional() }),
    responses: answered,
    async handle({ query }, server) {
      const view = query.partial === 'true' ? partialDetailsOf : detailsOf;
      const workflows = await servedWorkflows(server);
      return { body: Object.fromEntries(workflows.map((workflow) => [workflow.id, view(workflow)])) };
    },
  }),
  route({
    method: 'get',
    path: '/workflows/run-counts',
    operation: 'countDynamicRuns',
    summary: 'How many runs of each workflow are under way or wait',
    tag,
    scope: 'read',
    responses: answered,
    async handle(_request, server) {
      const counts: Record<string, { running: number; suspended: number }> = Object.create(null);
      for (const { id: workflow } of await servedWorkflows(server)) {
        const running = await server.runs.count({ workflow, statuses: ['queued', 'running', 'cancelling'] });
        const suspended = await server.runs.count({
          workflow,
          statuses: ['waiting_hitl', 'waiting_attention', 'waiting_approval'],
        });
        counts[workflow] = { running, suspended };
      }
      return { body: { ...counts } };
    },
  }),
  route({
    method: 'get',
    path: '/workflows/{workflow}',
    operation: 'getDynamicFormWorkflow',
    summary: 'Look at a workflow of the dynamic form',
    tag,
    scope: 'read',
    parameters: z.object({ workflow: id }),
    responses: answered,
    handle: async ({ path }, server) => ({ body: detailsOf(await servedWorkflow(server, path.workflow)) }),
  }),
];
