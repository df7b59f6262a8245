import type { JsonObject } from '../../../values/value.js';
import type { Actor } from '../../access/scopes.js';
import type { ServerContext } from '../../server-context.js';
import { copyGraph } from './copy-graph.js';
import type { DefinitionPackage } from './definition-package.js';
import { GraphStore } from './graph-store.js';
import { checkView, revisionView, workflowView } from './graph-view.js';

/**
 * Creates a workflow with a draft of a graph under ids of its own, and tells what is wrong with it: what it means never
 * keeps a draft away, because there it can be repaired. Source: graph facts §8.1.
 */
export async function createDraft(
  server: ServerContext,
  { name, description, graph }: DefinitionPackage,
  actor: Actor,
): Promise<JsonObject> {
  const { definition, revision } = await new GraphStore(server).create(
    { name, description, graph: copyGraph(graph) },
    actor,
  );
  const { diagnostics } = await server.definitions.check({
    id: definition.id,
    form: 'graph',
    content: revision.content,
  });
  return {
    workflow: workflowView(definition),
    revision: revisionView(revision),
    validation_errors: checkView(diagnostics).errors ?? [],
  };
}
