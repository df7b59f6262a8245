import { z } from 'zod';
import type { JsonObject } from '../../../values/value.js';
import { type Route, route } from '../../http/route.js';
import { id, jsonObject } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { answered, created } from '../answers.js';
import { contentOfBody, graphBody, graphOf } from './graph-content.js';
import { GraphStore } from './graph-store.js';
import { checkView, revisionView, runView } from './graph-view.js';
import { packageFile, packageFileQuery, packageFileResponse } from './package-file.js';

const tag = 'Revisions';
const revisionId = z.object({ revision_id: id });

export const revisionRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/{workflow_id}/revisions',
    operation: 'createGraphRevision',
    summary: 'Begin a draft from what is published',
    tag,
    scope: 'write',
    parameters: z.object({ workflow_id: id }),
    responses: created,
    async handle({ path, actor }, server) {
      const draft = await new GraphStore(server).addDraft(path.workflow_id);
      await server.audit.record(actor, 'definition.drafted', path.workflow_id, { version: draft.version });
      return { body: revisionView(draft) };
    },
  }),
  route({
    method: 'get',
    path: '/revisions/{revision_id}',
    operation: 'getGraphRevision',
    summary: 'Read a revision',
    tag,
    scope: 'read',
    parameters: revisionId,
    responses: answered,
    async handle({ path }, server) {
      const { revision } = await new GraphStore(server).revision(path.revision_id);
      return { body: revisionView(revision) };
    },
  }),
  route({
    method: 'put',
    path: '/revisions/{revision_id}',
    operation: 'replaceGraphRevision',
    summary: 'Replace the graph of a draft',
    tag,
    scope: 'write',
    parameters: revisionId,
    body: graphBody,
    responses: answered,
    async handle({ path, body, actor }, server) {
      await new GraphStore(server).revision(path.revision_id);
      const changed = await server.definitions.changeDraft(path.revision_id, contentOfBody(body));
      await server.audit.record(actor, 'definition.drafted', changed.definitionId, {
        version: changed.version,
      });
      return { body: revisionView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/revisions/{revision_id}',
    operation: 'deleteGraphRevision',
    summary: 'Remove a revision that is not published',
    tag,
    scope: 'write',
    parameters: revisionId,
    responses: answered,
    async handle({ path, actor }, server) {
      const { definition, revision } = await new GraphStore(server).revision(path.revision_id);
      await server.definitions.removeVersion(path.revision_id);
      await server.audit.record(actor, 'definition.version_removed', definition.id, {
        version: revision.version,
      });
      return { body: { success: true, revision_id: path.revision_id } };
    },
  }),
  route({
    method: 'post',
    path: '/revisions/{revision_id}/validate',
    operation: 'validateGraphRevision',
    summary: 'Check a revision',
    tag,
    scope: 'read',
    parameters: revisionId,
    responses: answered,
    handle: async ({ path }, server) => ({ body: await checked(server, path.revision_id) }),
  }),
  route({
    method: 'post',
    path: '/revisions/{revision_id}/publish',
    operation: 'publishGraphRevision',
    summary: 'Make a draft the revision that runs',
    tag,
    scope: 'write',
    parameters: revisionId,
    responses: answered,
    async handle({ path, actor }, server) {
      await new GraphStore(server).revision(path.revision_id);
      const published = await server.definitions.publish(path.revision_id);
      await server.audit.record(actor, 'definition.published', published.definitionId, {
        version: published.version,
      });
      return { body: revisionView(published) };
    },
  }),
  route({
    method: 'get',
    path: '/revisions/{revision_id}/export',
    operation: 'exportGraphRevision',
    summary: 'Download a published revision as a package',
    tag,
    scope: 'read',
    parameters: revisionId,
    query: packageFileQuery,
    responses: packageFileResponse,
    async handle({ path, query }, server) {
      const { definition, revision } = await new GraphStore(server).publishedRevision(path.revision_id);
      const { name, description } = definition;
      const graph = graphOf(revision.content);
      return packageFile(server, { name, description, graph }, name, query.format);
    },
  }),
  route({
    method: 'post',
    path: '/revisions/{revision_id}/runs',
    operation: 'createGraphRun',
    summary: 'Start a run of a published revision',
    tag: 'Runs',
    scope: 'run',
    parameters: revisionId,
    body: z.object({ inputs: jsonObject.default({}) }).default({ inputs: {} }),
    responses: created,
    async handle({ path, body, actor }, server) {
      const { definition, revision } = await new GraphStore(server).publishedRevision(path.revision_id);
      const record = await server.runs.create(
        { workflow: definition.id, revisionId: path.revision_id, inputs: body.inputs as JsonObject },
        actor,
      );
      return { body: runView(record, [revision]) };
    },
  }),
];

async function checked(server: ServerContext, revision: string) {
  const { definition, revision: version } = await new GraphStore(server).revision(revision);
  const { diagnostics } = await server.definitions.check({
    id: definition.id,
    form: 'graph',
    content: version.content,
  });
  return checkView(diagnostics);
}
