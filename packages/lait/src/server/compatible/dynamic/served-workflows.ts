import { DefinitionError } from '../../../errors/errors.js';
import type { Plan } from '../../../plan/plan.js';
import { isObject, type JsonObject } from '../../../values/value.js';
import { type DefinitionContent, valueOfContent } from '../../definitions/definition.js';
import { HttpProblem } from '../../http/problem.js';
import type { ServerContext } from '../../server-context.js';
import type { ServedWorkflow } from './workflow-view.js';

/** Workflows of the dynamic form: stored ones, and those that the configuration names. */
export async function servedWorkflows(server: ServerContext): Promise<ServedWorkflow[]> {
  const configured = await Promise.all(
    server.catalog.configuredIds().map(async (id): Promise<ServedWorkflow[]> => {
      try {
        const { plan } = await server.catalog.find(id);
        return plan.form === 'dynamic' ? [{ id, definition: definitionOf(plan), isStored: false }] : [];
      } catch (error) {
        // A file that is broken is told when it is run; the list shows the others.
        if (error instanceof DefinitionError) return [];
        throw error;
      }
    }),
  );
  const published = await server.definitions.read((rows) => rows.allPublished(['dynamic']));
  const stored = published.map(({ definitionId, content }) => ({
    id: definitionId,
    definition: parsed(content),
    isStored: true,
  }));
  return [...configured.flat(), ...stored];
}

/** Throws an `HttpProblem` (404) when there is no workflow of the dynamic form under the id. */
export async function servedWorkflow(server: ServerContext, id: string): Promise<ServedWorkflow> {
  const version = await server.definitions.published(id);
  if (version !== undefined) {
    const { definition } = await server.definitions.get(id);
    if (definition.form === 'dynamic') return { id, definition: parsed(version.content), isStored: true };
  } else if (server.catalog.configuredIds().includes(id)) {
    const { plan } = await server.catalog.find(id);
    if (plan.form === 'dynamic') return { id, definition: definitionOf(plan), isStored: false };
  }
  throw new HttpProblem({ status: 404, code: 'workflow_not_found', detail: 'Workflow not found' });
}

/** The definition that a plan was lowered from. */
export function definitionOf({ sources }: Plan): JsonObject {
  return parsed(sources[0]?.text ?? '{}');
}

/** The content of a definition of this form; an empty one of a text that is none. */
export function parsed(content: DefinitionContent): JsonObject {
  const value = valueOfContent(content);
  return isObject(value) ? (value as JsonObject) : {};
}
