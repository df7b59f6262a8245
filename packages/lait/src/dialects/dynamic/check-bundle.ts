import type { Diagnostic } from '../../plan/diagnostic.js';
import type { DefinitionWorld, GivenDefinition } from '../dialect.js';
import { DynamicWorkflows } from './dynamic-workflows.js';
import { parseDefinition } from './load-workflow.js';

/** Every problem of one definition. Throws what `checkDynamicBundle` throws. */
export async function checkGivenDefinition(
  { id, content }: GivenDefinition,
  world: DefinitionWorld,
): Promise<readonly Diagnostic[]> {
  const read =
    typeof content === 'string' ? parseDefinition({ file: id, text: content }) : { value: content };
  if ('diagnostics' in read) return read.diagnostics;
  return checkDynamicBundle([read.value as Readonly<Record<string, unknown>>], world);
}

/**
 * Checks definitions that may call each other as one bundle, and gives the warnings. Throws a `DynamicWorkflowError` for
 * the first definition that is refused, in the words of this form.
 */
export async function checkDynamicBundle(
  definitions: readonly Readonly<Record<string, unknown>>[],
  world: DefinitionWorld,
): Promise<readonly Diagnostic[]> {
  const registry = new DynamicWorkflows({
    services: () => world.services(),
    otherWorkflow: (name) => world.signatures.get(name),
    otherWorkflowNames: () => [...world.signatures.keys()],
  });
  await registry.addDynamicWorkflows(definitions);
  return registry.listWorkflows().flatMap(({ warnings }) => warnings);
}
