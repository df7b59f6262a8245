import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { planOfFile } from '../../config/load-plan.js';
import { detectForm, detectFormOfText } from '../../dialects/detect.js';
import { isObject, ownProperty } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import { isError } from '../definitions/check-definition.js';
import { type DefinitionContent, textOfContent } from '../definitions/definition.js';
import { diffGraphs } from '../definitions/graph-diff.js';
import { diffLines } from '../definitions/text-diff.js';
import { decodeCursor, encodeCursor } from '../http/cursor.js';
import { conflict, HttpProblem, notFound } from '../http/problem.js';
import { type Route, route } from '../http/route.js';
import type { ServerContext } from '../server-context.js';
import {
  content,
  definitionDetailSchema,
  definitionSchema,
  detailView,
  diagnosticSchema,
  diagnosticView,
  storedView,
  versionSchema,
  versionView,
  versionWithContentSchema,
} from './definition-view.js';
import { count, cursor, form, id, listOf } from './schemas.js';

const tag = 'Definitions';
const definitionId = z.object({ definition_id: id });
const versionPath = definitionId.extend({ version: z.coerce.number().int().min(1).max(2_147_483_647) });
const report = z.object({ valid: z.boolean(), diagnostics: z.array(diagnosticSchema) });
const listDiff = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});

const putBody = z.strictObject({
  content,
  form: form.optional().describe('Default: found out from the content.'),
  name: z.string().min(1).max(500).optional(),
  description: z.string().max(10_000).nullable().optional(),
  skip_approval: z
    .boolean()
    .optional()
    .describe('Runs begin without a person’s consent; needs the scope `answer`.'),
  base_version: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The newest version that the caller knows (0: none). When there is a newer one, nothing is stored.',
    ),
  draft: z.boolean().optional().describe('Keeps it as a draft, whatever its problems. Default false.'),
});

export const definitionRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/definitions',
    operation: 'listDefinitions',
    summary: 'List workflows: those of the configuration, then stored ones, the newest first',
    tag,
    scope: 'read',
    query: z.strictObject({
      form: listOf(form).optional(),
      limit: count(50, 500),
      cursor: cursor.optional(),
    }),
    responses: {
      200: {
        description: 'A page of workflows.',
        schema: z.object({ items: z.array(definitionSchema), next_cursor: z.string().nullable() }),
      },
    },
    async handle({ query }, server) {
      const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 2);
      const stored = await server.definitions.list({
        ...(query.form !== undefined && { forms: query.form }),
        ...(after !== undefined && { after: { createdAt: after[0]!, id: after[1]! } }),
        limit: query.limit + 1,
      });
      const page = stored.slice(0, query.limit);
      const last = page.at(-1);
      const configured = after === undefined ? await configuredViews(server) : [];
      return {
        body: {
          items: [
            ...configured.filter(
              (one) => query.form === undefined || (one.form !== null && query.form.includes(one.form)),
            ),
            ...page.map(storedView),
          ],
          next_cursor:
            stored.length > query.limit && last !== undefined
              ? encodeCursor([last.createdAt, last.id])
              : null,
        },
      };
    },
  }),
  route({
    method: 'post',
    path: '/definitions/validate',
    operation: 'validateDefinition',
    summary: 'Check a definition without storing it',
    tag,
    scope: 'read',
    body: z.strictObject({ content, form: form.optional(), id: id.optional() }),
    responses: { 200: { description: 'Every problem.', schema: report } },
    async handle({ body }, server) {
      const given = body.content as DefinitionContent;
      const { diagnostics } = await server.definitions.check({
        id: body.id ?? idOf(given) ?? 'definition',
        form: body.form ?? formOf(given),
        content: given,
      });
      return { body: { valid: !diagnostics.some(isError), diagnostics: diagnostics.map(diagnosticView) } };
    },
  }),
  route({
    method: 'get',
    path: '/definitions/{definition_id}',
    operation: 'getDefinition',
    summary: 'Look at a workflow with its versions',
    tag,
    scope: 'read',
    parameters: definitionId,
    responses: { 200: { description: 'The workflow.', schema: definitionDetailSchema } },
    async handle({ path }, server) {
      const configured = await configuredDetail(path.definition_id, server);
      if (configured !== undefined) return { body: configured };
      const { definition, versions } = await server.definitions.get(path.definition_id);
      return { body: detailView(definition, versions), headers: { etag: `"${versions[0]?.version ?? 0}"` } };
    },
  }),
  route({
    method: 'put',
    path: '/definitions/{definition_id}',
    operation: 'putDefinition',
    summary: 'Store a version of a workflow',
    description:
      'Checked and published at once, or kept as a draft. The version before is superseded; runs that began with it go on with it. `if-match: "<version>"` is the same as `base_version`.',
    tag,
    scope: 'write',
    parameters: definitionId,
    body: putBody,
    responses: {
      200: { description: 'The workflow with its new version.', schema: definitionDetailSchema },
      201: { description: 'The new workflow.', schema: definitionDetailSchema },
    },
    async handle({ path, body, actor, headers }, server) {
      requireConsent(actor, body.skip_approval);
      const given = body.content as DefinitionContent;
      const match = /^"(\d{1,9})"$/.exec(headers.get('if-match') ?? '');
      const baseVersion = body.base_version ?? (match === null ? undefined : Number(match[1]));
      const { definition, versions } = await server.definitions.put({
        id: path.definition_id,
        form: body.form ?? formOf(given),
        content: given,
        authorId: actor.id,
        ...(body.name !== undefined && { name: body.name }),
        ...(body.description !== undefined && { description: body.description }),
        ...(body.skip_approval !== undefined && { skipApproval: body.skip_approval }),
        ...(baseVersion !== undefined && { baseVersion }),
        ...(body.draft !== undefined && { draft: body.draft }),
      });
      const [newest] = versions;
      await server.audit.record(actor, 'definition.stored', definition.id, { version: newest?.version ?? 0 });
      return {
        status: versions.length === 1 ? 201 : 200,
        body: detailView(definition, versions),
        headers: { etag: `"${newest?.version ?? 0}"` },
      };
    },
  }),
  route({
    method: 'delete',
    path: '/definitions/{definition_id}',
    operation: 'deleteDefinition',
    summary: 'Remove a stored workflow with its versions',
    description: 'Refused while runs of it have not ended. Runs keep the version that they began with.',
    tag,
    scope: 'write',
    parameters: definitionId,
    responses: { 204: { description: 'Removed.' } },
    async handle({ path, actor }, server) {
      const workflow = path.definition_id;
      await server.definitions.get(workflow);
      const open = await server.runs.count({ workflow, statuses: unended });
      if (open > 0)
        throw conflict('definition_in_use', `${open} run(s) of '${workflow}' have not ended`, { runs: open });
      await server.definitions.remove(workflow);
      await server.audit.record(actor, 'definition.removed', workflow);
      return { status: 204 };
    },
  }),
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
    responses: { 200: { description: 'Every problem.', schema: report } },
    async handle({ path }, server) {
      const { definition } = await server.definitions.get(path.definition_id);
      const version = await versionOf(path, server);
      const { diagnostics } = await server.definitions.check({
        id: definition.id,
        form: definition.form,
        content: version.content,
      });
      return { body: { valid: !diagnostics.some(isError), diagnostics: diagnostics.map(diagnosticView) } };
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
      against: z.coerce
        .number()
        .int()
        .min(1)
        .max(2_147_483_647)
        .optional()
        .describe('Default: the version before.'),
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

const unended = [
  'queued',
  'waiting_approval',
  'running',
  'waiting_hitl',
  'waiting_attention',
  'interrupted',
  'cancelling',
] as const;

function versionOf(path: { definition_id: string; version: number }, server: ServerContext) {
  return server.definitions.version({ definitionId: path.definition_id, version: path.version });
}

function formOf(given: DefinitionContent) {
  return typeof given === 'string' ? detectFormOfText(given) : detectForm(given);
}

function idOf(given: DefinitionContent): string | undefined {
  const own = typeof given === 'string' ? undefined : ownProperty(given, 'id');
  return typeof own === 'string' && own !== '' ? own : undefined;
}

/** The workflows of the configuration; one whose file cannot be read is listed without its form. */
async function configuredViews(server: ServerContext): Promise<z.infer<typeof definitionSchema>[]> {
  const entries = Object.entries(server.configuration.values.workflows ?? {});
  return Promise.all(
    entries.map(async ([name, path]) => {
      const plan = await planOfFile(path, { name }).catch(() => undefined);
      return {
        id: name,
        form: plan?.form ?? null,
        name: plan?.name ?? name,
        description: plan?.description ?? null,
        source: 'configuration' as const,
        skip_approval: false,
        created_at: null,
        updated_at: null,
      };
    }),
  );
}

async function configuredDetail(
  name: string,
  server: ServerContext,
): Promise<z.infer<typeof definitionDetailSchema> | undefined> {
  const path = ownProperty(server.configuration.values.workflows ?? {}, name);
  if (typeof path !== 'string') return undefined;
  const [view] = (await configuredViews(server)).filter((one) => one.id === name);
  if (view === undefined) throw notFound('definition', name);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new HttpProblem({
      status: 503,
      code: 'file_unreadable',
      detail: `the file of '${name}' cannot be read`,
    });
  });
  return { ...view, published_version: null, content: text, versions: [] };
}
