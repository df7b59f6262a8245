import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { planOfFile } from '../../config/load-plan.js';
import { detectForm, detectFormOfText } from '../../dialects/detect.js';
import { unfinishedStatuses } from '../../runs/run-status.js';
import { ownProperty } from '../../values/value.js';
import { requireConsent } from '../access/require-consent.js';
import type { DefinitionContent } from '../definitions/definition.js';
import { decodeCursor, pageOf } from '../http/cursor.js';
import { conflict, HttpProblem, notFound } from '../http/problem.js';
import { type Route, route } from '../http/route.js';
import type { ServerContext } from '../server-context.js';
import {
  checkReport,
  checkReportSchema,
  content,
  definitionDetailSchema,
  definitionSchema,
  detailView,
  storedView,
} from './definition-view.js';
import { count, cursor, form, id, listOf } from './schemas.js';

const tag = 'Definitions';
const definitionId = z.object({ definition_id: id });
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

/** Workflows as a whole; their versions have routes of their own. */
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
      const { page, next_cursor } = pageOf(stored, query.limit, (one) => [one.createdAt, one.id]);
      const configured = after === undefined ? await configuredViews(server) : [];
      return {
        body: {
          items: [
            ...configured.filter(
              (one) => query.form === undefined || (one.form !== null && query.form.includes(one.form)),
            ),
            ...page.map(storedView),
          ],
          next_cursor,
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
    responses: { 200: { description: 'Every problem.', schema: checkReportSchema } },
    async handle({ body }, server) {
      const given = body.content as DefinitionContent;
      const { diagnostics } = await server.definitions.check({
        id: body.id ?? idOf(given) ?? 'definition',
        form: body.form ?? formOf(given),
        content: given,
      });
      return { body: checkReport(diagnostics) };
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
      const open = await server.runs.count({ workflow, statuses: unfinishedStatuses });
      if (open > 0)
        throw conflict('definition_in_use', `${open} run(s) of '${workflow}' have not ended`, { runs: open });
      await server.definitions.remove(workflow);
      await server.audit.record(actor, 'definition.removed', workflow);
      return { status: 204 };
    },
  }),
];

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
