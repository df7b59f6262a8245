import { z } from 'zod';
import { isObject } from '../../values/value.js';
import { type DefinitionContent, textOfContent } from '../definitions/definition.js';
import { diffGraphs } from '../definitions/graph-diff.js';
import { diffLines } from '../definitions/text-diff.js';
import { type Route, route } from '../http/route.js';
import type { ServerContext } from '../server-context.js';
import {
  checkReport,
  checkReportSchema,
  content,
  versionSchema,
  versionView,
  versionWithContentSchema,
} from './definition-view.js';
import { id } from './schemas.js';

const tag = 'Definitions';
const version = z.coerce.number().int().min(1).max(2_147_483_647);
const versionPath = z.object({ definition_id: id, version });
const listDiff = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});

/** Versions of stored workflows. */
export const versionRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/definitions/{definition_id}/versions/{version}',
    operation: 'getDefinitionVersion',
    summary: 'Look at a version',
    tag,
    scope: 'read',
    parameters: versionPath,
    responses: { 200: { description: 'The version.', schema: versionWithContentSchema } },
    async handle({ path }, server) {
      const version = await versionOf(path, server);
      return { body: { ...versionView(version), content: version.content } };
    },
  }),
  route({
    method: 'put',
    path: '/definitions/{definition_id}/versions/{version}',
    operation: 'changeDraft',
    summary: 'Replace the content of a draft',
    tag,
    scope: 'write',
    parameters: versionPath,
    body: z.strictObject({ content }),
    responses: { 200: { description: 'The draft.', schema: versionSchema } },
    async handle({ path, body, actor }, server) {
      const { revisionId } = await versionOf(path, server);
      const changed = await server.definitions.changeDraft(revisionId, body.content as DefinitionContent);
      await server.audit.record(actor, 'definition.draft_changed', path.definition_id, {
        version: path.version,
      });
      return { body: versionView(changed) };
    },
  }),
  route({
    method: 'delete',
    path: '/definitions/{definition_id}/versions/{version}',
    operation: 'deleteDefinitionVersion',
    summary: 'Remove a version that is not published',
    tag,
    scope: 'write',
    parameters: versionPath,
    responses: { 204: { description: 'Removed.' } },
    async handle({ path, actor }, server) {
      const { revisionId } = await versionOf(path, server);
      await server.definitions.removeVersion(revisionId);
      await server.audit.record(actor, 'definition.version_removed', path.definition_id, {
        version: path.version,
      });
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/definitions/{definition_id}/versions/{version}/publish',
    operation: 'publishDefinitionVersion',
    summary: 'Make a draft the version that runs',
    tag,
    scope: 'write',
    parameters: versionPath,
    responses: { 200: { description: 'The published version.', schema: versionSchema } },
    async handle({ path, actor }, server) {
      const { revisionId } = await versionOf(path, server);
      const published = await server.definitions.publish(revisionId);
      await server.audit.record(actor, 'definition.published', path.definition_id, { version: path.version });
      return { body: versionView(published) };
    },
  }),
  route({
    method: 'post',
    path: '/definitions/{definition_id}/versions/{version}/validate',
    operation: 'validateDefinitionVersion',
    summary: 'Check a stored version',
    tag,
    scope: 'read',
    parameters: versionPath,
    responses: { 200: { description: 'Every problem.', schema: checkReportSchema } },
    async handle({ path }, server) {
      const { definition } = await server.definitions.get(path.definition_id);
      const version = await versionOf(path, server);
      const { diagnostics } = await server.definitions.check({
        id: definition.id,
        form: definition.form,
        content: version.content,
      });
      return { body: checkReport(diagnostics) };
    },
  }),
  route({
    method: 'get',
    path: '/definitions/{definition_id}/versions/{version}/diff',
    operation: 'diffDefinitionVersions',
    summary: 'What a version changes against another one',
    tag,
    scope: 'read',
    parameters: versionPath,
    query: z.strictObject({
      against: version.optional().describe('Default: the version before.'),
    }),
    responses: {
      200: {
        description: 'What differs: for graphs by node and edge, for all forms line by line.',
        schema: z.object({
          from: z.int().nullable(),
          to: z.int(),
          graph: z.object({ changed: z.array(z.string()), nodes: listDiff, edges: listDiff }).nullable(),
          lines: z.array(z.object({ op: z.enum(['same', 'added', 'removed']), text: z.string() })),
        }),
      },
    },
    async handle({ path, query }, server) {
      const to = await versionOf(path, server);
      const { versions } = await server.definitions.get(path.definition_id);
      const from =
        query.against === undefined
          ? versions.find(({ version }) => version < to.version)
          : await versionOf({ ...path, version: query.against }, server);
      const before = from?.content ?? (typeof to.content === 'string' ? '' : {});
      return {
        body: {
          from: from?.version ?? null,
          to: to.version,
          graph:
            isObject(before) && isObject(to.content) && Object.hasOwn(to.content, 'edges')
              ? diffGraphs(before, to.content)
              : null,
          lines: await diffLines(from === undefined ? '' : textOfContent(before), textOfContent(to.content)),
        },
      };
    },
  }),
];

function versionOf(path: { definition_id: string; version: number }, server: ServerContext) {
  return server.definitions.version({ definitionId: path.definition_id, version: path.version });
}
