import { z } from 'zod';
import { TemplateError } from '../../../expressions/text-template/template-error.js';
import { compileTextTemplate } from '../../../expressions/text-template/text-template.js';
import type { JsonObject } from '../../../values/value.js';
import { notFound } from '../../http/problem.js';
import { type Route, route } from '../../http/route.js';
import { id, jsonObject } from '../../routes/schemas.js';
import { answered, created } from '../answers.js';
import { copyGraph } from './copy-graph.js';
import { readPackage } from './definition-package.js';
import { createDraft } from './draft-from-graph.js';
import { graphLimitsOf } from './graph-limits.js';
import { GraphStore } from './graph-store.js';
import { revisionView, workflowView } from './graph-view.js';
import { starterTemplates } from './starter-templates.js';

const tag = 'Templates';

export const templateRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/templates',
    operation: 'listGraphTemplates',
    summary: 'List graphs to begin with',
    tag,
    scope: 'read',
    responses: answered,
    handle: () => ({
      body: {
        items: starterTemplates.map(({ template_key, name, description, graph }) => ({
          template_key,
          name,
          description,
          ...graph,
        })),
      },
    }),
  }),
  route({
    method: 'post',
    path: '/from-template',
    operation: 'createGraphWorkflowFromTemplate',
    summary: 'Create a workflow from a graph to begin with',
    tag,
    scope: 'write',
    body: z.object({
      template_key: id,
      name: z.string().trim().min(1).max(500).optional(),
      description: z.string().max(10_000).optional(),
    }),
    responses: created,
    async handle({ body, actor }, server) {
      const template = starterTemplates.find(({ template_key }) => template_key === body.template_key);
      if (template === undefined) throw notFound('template', body.template_key);
      const { name, description, graph } = template;
      const { definition, revision } = await new GraphStore(server).create(
        { name: body.name ?? name, description: body.description ?? description, graph: copyGraph(graph) },
        actor,
      );
      return { body: { ...workflowView(definition), revision: revisionView(revision) } };
    },
  }),
  route({
    method: 'post',
    path: '/import',
    operation: 'importGraphWorkflow',
    summary: 'Create a workflow from a package',
    tag,
    scope: 'write',
    query: z.object({ format: z.enum(['json', 'yaml']).optional() }),
    body: z.string(),
    bodyTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/plain'],
    responses: created,
    async handle({ query, body, headers, actor }, server) {
      const isYaml = headers.get('content-type')?.includes('yaml') === true;
      const definition = await readPackage(
        body,
        query.format ?? (isYaml ? 'yaml' : 'json'),
        graphLimitsOf(server),
      );
      return { body: await createDraft(server, definition, actor) };
    },
  }),
  route({
    method: 'post',
    path: '/text-template/preview',
    operation: 'previewGraphTextTemplate',
    summary: 'Render a text template',
    tag,
    scope: 'read',
    body: z.object({ template: z.string(), values: jsonObject.default({}) }),
    responses: answered,
    handle({ body }) {
      try {
        const rendered = compileTextTemplate(body.template).render(body.values as JsonObject);
        return { body: { ok: true, rendered, errors: [] } };
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        const line = error.line === undefined ? '' : `line ${error.line}: `;
        return { body: { ok: false, rendered: null, errors: [`${line}${error.message}`] } };
      }
    },
  }),
];
