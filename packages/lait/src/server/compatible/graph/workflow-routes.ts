import { z } from 'zod';
import { requireConsent } from '../../access/require-consent.js';
import { type Route, route } from '../../http/route.js';
import { count, id } from '../../routes/schemas.js';
import { answered, created } from '../answers.js';
import { contentOfBody, emptyGraph, graphBody, graphOf } from './graph-content.js';
import { GraphStore } from './graph-store.js';
import { capabilityView, revisionView, runSummary, workflowView } from './graph-view.js';

const tag = 'Workflows';
const workflowId = z.object({ workflow_id: id });
const name = z.string().trim().min(1, 'must not be blank').max(500);
const description = z.string().max(10_000);

export const workflowRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '',
    operation: 'listGraphWorkflows',
    summary: 'List workflows, the newest first',
    tag,
    scope: 'read',
    query: z.object({ limit: count(20, 500), offset: z.coerce.number().int().min(0).default(0) }),
    responses: answered,
    async handle({ query }, server) {
      const { items, total } = await new GraphStore(server).list(query);
      return { body: { items: items.map(workflowView), total } };
    },
  }),
  route({
    method: 'post',
    path: '',
    operation: 'createGraphWorkflow',
    summary: 'Create a workflow with its first draft',
    tag,
    scope: 'write',
    body: z.object({
      name,
      description: description.nullish(),
      inputs_schema: graphBody.shape.inputs_schema.optional(),
      skip_approval: z.boolean().optional(),
    }),
    responses: created,
    async handle({ body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      const { inputs_schema } = body;
      const graph =
        inputs_schema === undefined ? emptyGraph : contentOfBody({ inputs_schema, nodes: [], edges: [] });
      const { definition, revision } = await new GraphStore(server).create(
        { name: body.name, description: body.description, skipApproval: body.skip_approval, graph },
        actor,
      );
      return { body: { ...workflowView(definition), revision: revisionView(revision) } };
    },
  }),
  route({
    method: 'get',
    path: '/{workflow_id}',
    operation: 'getGraphWorkflow',
    summary: 'Look at a workflow, its revisions and its last runs',
    tag,
    scope: 'read',
    parameters: workflowId,
    responses: answered,
    async handle({ path }, server) {
      const { definition, versions } = await new GraphStore(server).workflow(path.workflow_id);
      const runs = await server.runs.list({ workflow: path.workflow_id, forms: ['graph'], limit: 10 });
      return {
        body: {
          ...workflowView(definition),
          revisions: versions.map(revisionView),
          runs: runs.map((run) => runSummary(run, versions)),
        },
      };
    },
  }),
  route({
    method: 'patch',
    path: '/{workflow_id}',
    operation: 'changeGraphWorkflow',
    summary: 'Change what a workflow is called, or whether its runs need approval',
    tag,
    scope: 'write',
    parameters: workflowId,
    body: z.object({
      name: name.optional(),
      description: description.nullish(),
      skip_approval: z.boolean().optional(),
    }),
    responses: answered,
    async handle({ path, body, actor }, server) {
      requireConsent(actor, body.skip_approval);
      await new GraphStore(server).workflow(path.workflow_id);
      const changed = await server.definitions.describe(path.workflow_id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.description !== undefined && { description: body.description }),
        ...(body.skip_approval !== undefined && { skipApproval: body.skip_approval }),
      });
      await server.audit.record(actor, 'definition.described', path.workflow_id);
      return { body: workflowView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/{workflow_id}',
    operation: 'deleteGraphWorkflow',
    summary: 'Remove a workflow with its revisions and runs',
    tag,
    scope: 'write',
    parameters: workflowId,
    responses: answered,
    async handle({ path, actor }, server) {
      const deleted = await new GraphStore(server).remove(path.workflow_id, actor);
      return { body: { success: true, workflow_id: path.workflow_id, deleted } };
    },
  }),
  route({
    method: 'get',
    path: '/capabilities',
    operation: 'listGraphCapabilities',
    summary: 'List what capability nodes may call',
    tag,
    scope: 'read',
    responses: answered,
    handle: (_request, { services }) => ({
      body: { items: services.forRun().capabilities.list().map(capabilityView) },
    }),
  }),
  route({
    method: 'get',
    path: '/schedulable',
    operation: 'listSchedulableGraphWorkflows',
    summary: 'List published workflows with what they take',
    tag,
    scope: 'read',
    responses: answered,
    async handle(_request, { definitions }) {
      const items = await definitions.read(async (rows) => {
        const published = new Map(
          (await rows.allPublished(['graph'])).map((version) => [version.definitionId, version]),
        );
        const listed = await rows.list({ forms: ['graph'] });
        return listed
          .filter((definition) => published.has(definition.id))
          .map((definition) => {
            const { revisionId: revision_id, version, content } = published.get(definition.id)!;
            const { inputs_schema } = graphOf(content);
            return { ...workflowView(definition), revision_id, version, inputs_schema };
          });
      });
      return { body: { items, total: items.length } };
    },
  }),
];
