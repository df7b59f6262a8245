import { z } from 'zod';
import type { JsonObject } from '../../../values/value.js';
import { type Route, route } from '../../http/route.js';
import { count, id } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { answered, created } from '../answers.js';
import { packageOf } from './definition-package.js';
import { createDraft } from './draft-from-graph.js';
import { graphOf } from './graph-content.js';
import { GraphStore } from './graph-store.js';
import { packageFile, packageFileQuery, packageFileResponse } from './package-file.js';
import {
  type TemplateSource,
  type UserTemplate,
  type UserTemplateSummary,
  UserTemplates,
} from './user-templates.js';

const tag = 'Templates';
const templateId = z.object({ template_id: id });
const name = z.string().trim().max(500);
const description = z.string().max(10_000).nullish();

/** Templates that people keep themselves. Source: graph facts §8.1. */
export const userTemplateRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/user-templates',
    operation: 'listUserTemplates',
    summary: 'List the templates that people have kept, the newest first',
    tag,
    scope: 'read',
    query: z.object({ limit: count(500, 500), offset: z.coerce.number().int().min(0).default(0) }),
    responses: answered,
    async handle({ query }, { database }) {
      const { items, total } = await new UserTemplates(database).list(query);
      return { body: { items: items.map(summaryView), total } };
    },
  }),
  route({
    method: 'post',
    path: '/user-templates',
    operation: 'createUserTemplate',
    summary: 'Keep a published revision as a template',
    tag,
    scope: 'write',
    body: z.object({ source_revision_id: id, name: name.nullish(), description }),
    responses: created,
    async handle({ body, actor }, server) {
      const { workflowName, ...source } = await publishedSource(server, body.source_revision_id);
      const template = await new UserTemplates(server.database).create({
        // A blank name is the same as none.
        name: body.name || workflowName,
        description: body.description ?? '',
        ...source,
      });
      await server.audit.record(actor, 'template.created', template.templateId);
      return { body: templateView(template) };
    },
  }),
  route({
    method: 'get',
    path: '/user-templates/{template_id}',
    operation: 'getUserTemplate',
    summary: 'Look at a template and its graph',
    tag,
    scope: 'read',
    parameters: templateId,
    responses: answered,
    handle: async ({ path }, { database }) => ({
      body: templateView(await new UserTemplates(database).get(path.template_id)),
    }),
  }),
  route({
    method: 'put',
    path: '/user-templates/{template_id}',
    operation: 'changeUserTemplate',
    summary: 'Rename a template, or take its graph from another published revision',
    tag,
    scope: 'write',
    parameters: templateId,
    body: z.object({
      source_revision_id: id.nullish(),
      name: name.min(1, 'must not be blank').nullish(),
      description,
    }),
    responses: answered,
    async handle({ path, body, actor }, server) {
      const templates = new UserTemplates(server.database);
      await templates.get(path.template_id);
      const source =
        body.source_revision_id == null ? undefined : await publishedSource(server, body.source_revision_id);
      const changed = await templates.update(path.template_id, {
        ...(body.name != null && { name: body.name }),
        ...(body.description != null && { description: body.description }),
        ...(source !== undefined && { source }),
      });
      await server.audit.record(actor, 'template.changed', path.template_id);
      return { body: templateView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/user-templates/{template_id}',
    operation: 'deleteUserTemplate',
    summary: 'Remove a template; workflows that were made from it stay',
    tag,
    scope: 'write',
    parameters: templateId,
    responses: answered,
    async handle({ path, actor }, server) {
      await new UserTemplates(server.database).remove(path.template_id);
      await server.audit.record(actor, 'template.removed', path.template_id);
      return { body: { success: true, template_id: path.template_id } };
    },
  }),
  route({
    method: 'post',
    path: '/user-templates/{template_id}/instantiate',
    operation: 'instantiateUserTemplate',
    summary: 'Create a workflow with a draft from a template',
    tag,
    scope: 'write',
    parameters: templateId,
    body: z.object({ name: name.nullish(), description }).default({}),
    responses: created,
    async handle({ path, body, actor }, server) {
      const template = await new UserTemplates(server.database).get(path.template_id);
      return {
        body: await createDraft(
          server,
          {
            name: body.name || template.name,
            description: body.description ?? template.description,
            graph: template.graph,
          },
          actor,
        ),
      };
    },
  }),
  route({
    method: 'get',
    path: '/user-templates/{template_id}/export',
    operation: 'exportUserTemplate',
    summary: 'Download a template as a package',
    tag,
    scope: 'read',
    parameters: templateId,
    query: packageFileQuery,
    responses: packageFileResponse,
    async handle({ path, query }, server) {
      const template = await new UserTemplates(server.database).get(path.template_id);
      return packageFile(server, template, template.name, query.format);
    },
  }),
];

/** A published revision as what a template holds. Throws an `HttpProblem` (404, 409). */
async function publishedSource(
  server: ServerContext,
  revisionId: string,
): Promise<TemplateSource & { workflowName: string }> {
  const { definition, revision } = await new GraphStore(server).publishedRevision(revisionId);
  return {
    workflowName: definition.name,
    sourceWorkflowId: definition.id,
    sourceRevisionId: revisionId,
    graph: graphOf(revision.content),
  };
}

function summaryView(template: UserTemplateSummary): JsonObject {
  return {
    template_id: template.templateId,
    name: template.name,
    description: template.description,
    source_workflow_id: template.sourceWorkflowId,
    source_revision_id: template.sourceRevisionId,
    created_at: template.createdAt,
    updated_at: template.updatedAt,
  };
}

/** With the graph as a package that can be imported elsewhere. */
function templateView(template: UserTemplate): JsonObject {
  return { ...summaryView(template), definition: packageOf(template) };
}
