import { z } from 'zod';
import { prepareDefinition } from '../../../dialects/dynamic/prepare.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';
import type { StoredDefinition, StoredVersion } from '../../definitions/definition.js';
import { HttpProblem } from '../../http/problem.js';
import { type Route, route } from '../../http/route.js';
import { id } from '../../routes/schemas.js';
import { answered } from '../answers.js';
import { upsertBody } from './definition-body.js';
import { parsed } from './served-workflows.js';

const tag = 'Stored workflows';
const workflowId = z.object({ id });

/** Members of a definition that a stored row shows. */
const shown = [
  'metadata',
  'inputSchema',
  'outputSchema',
  'stateSchema',
  'requestContextSchema',
  'graph',
] as const;

export const storedWorkflowRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/stored/workflows',
    operation: 'upsertDynamicWorkflow',
    summary: 'Register a workflow, with those that it calls',
    tag,
    scope: 'write',
    body: upsertBody,
    responses: answered,
    async handle({ body, actor }, { definitions, audit }) {
      const { dependencies = [], ...main } = body;
      const contents = [...dependencies, main].map((definition) => {
        const content = prepareDefinition(definition);
        return { id: definition.id, form: 'dynamic' as const, content, authorId: actor.id };
      });
      await definitions.putDynamicBundle(contents);
      for (const content of contents) await audit.record(actor, 'definition.stored', content.id);
      return {
        body: {
          ok: true,
          id: main.id,
          ...(dependencies.length > 0 && { dependencyIds: dependencies.map((one) => one.id) }),
        },
      };
    },
  }),
  route({
    method: 'get',
    path: '/stored/workflows',
    operation: 'listDynamicWorkflows',
    summary: 'List registered workflows',
    tag,
    scope: 'read',
    query: z.object({ status: z.string().optional(), authorId: z.string().optional() }),
    responses: answered,
    async handle({ query }, { definitions }) {
      // What is removed is gone: every stored workflow is active.
      if (query.status !== undefined && query.status !== 'active')
        return { body: { workflows: [], total: 0 } };
      const rows = await definitions.read(async (stored) => {
        const list = await stored.list({ forms: ['dynamic'] });
        const published = await stored.allPublished(['dynamic']);
        const versions = new Map(published.map((version) => [version.definitionId, version]));
        return list.flatMap((definition) => {
          const version = versions.get(definition.id);
          return version === undefined ? [] : [{ definition, version }];
        });
      });
      const wanted = rows.filter(
        ({ definition }) => query.authorId === undefined || definition.authorId === query.authorId,
      );
      const workflows = wanted.map(rowView);
      return { body: { workflows, total: workflows.length } };
    },
  }),
  route({
    method: 'get',
    path: '/stored/workflows/{id}',
    operation: 'getDynamicWorkflow',
    summary: 'Read a registered workflow',
    tag,
    scope: 'read',
    parameters: workflowId,
    responses: answered,
    async handle({ path }, { definitions }) {
      const row = await definitions.read(async (stored) => {
        const definition = await stored.find(path.id);
        const version = await stored.published(path.id);
        if (definition?.form !== 'dynamic' || version === undefined) return undefined;
        return { definition, version };
      });
      if (row === undefined)
        throw new HttpProblem({
          status: 404,
          code: 'definition_not_found',
          detail: `Dynamic workflow with id ${path.id} not found`,
        });
      return { body: rowView(row) };
    },
  }),
  route({
    method: 'delete',
    path: '/stored/workflows/{id}',
    operation: 'deleteDynamicWorkflow',
    summary: 'Remove a registered workflow',
    description: 'Runs keep the definition that they were started with.',
    tag,
    scope: 'write',
    parameters: workflowId,
    responses: answered,
    async handle({ path, actor }, { definitions, audit }) {
      const found = await definitions.read((stored) => stored.find(path.id));
      if (found?.form === 'dynamic' && (await definitions.remove(path.id)))
        await audit.record(actor, 'definition.removed', path.id);
      return { body: { success: true, message: `Dynamic workflow ${path.id} deleted` } };
    },
  }),
];

function rowView(row: { definition: StoredDefinition; version: StoredVersion }): JsonObject {
  const { definition, version } = row;
  const content = parsed(version.content);
  const members: [string, JsonValue][] = [];
  for (const name of shown) {
    const value = content[name];
    if (value !== undefined && value !== null) members.push([name, value]);
  }
  const { description } = content;
  return {
    id: definition.id,
    ...(typeof description === 'string' && { description }),
    ...Object.fromEntries(members),
    ...(isObject(content) && definition.authorId !== null && { authorId: definition.authorId }),
    status: 'active',
    source: 'storage',
    createdAt: definition.createdAt,
    updatedAt: definition.updatedAt,
  };
}
