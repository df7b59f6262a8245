import { planOfPinned } from '../../config/load-plan.js';
import type { CallSignature } from '../../dialects/dynamic/catalog.js';
import { DefinitionError } from '../../errors/errors.js';
import type { Services } from '../../kinds/services.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Form, Plan } from '../../plan/plan.js';
import { isObject, type JsonObject } from '../../values/value.js';
import { type DefinitionContent, textOfContent } from './definition.js';
import { type Permission, reachProblems } from './reach.js';

/** What definitions are held against. */
export interface DefinitionWorld {
  /** Services for one check: agents, tools and capabilities by name. */
  services(): Services;
  graphLimits: { maxNodes?: number; maxEdges?: number };
  /** What definitions that came over HTTP may do. */
  allowed: readonly Permission[];
  /** What the workflows that may be called take and give. */
  signatures: ReadonlyMap<string, CallSignature>;
}

export interface UncheckedContent {
  id: string;
  form: Form;
  content: DefinitionContent;
}

export interface CheckedDefinition {
  /** Absent when there are errors. */
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

/** Checks a definition of any form as a whole: every problem at once. Never throws for what it holds. */
export async function checkDefinition(
  unchecked: UncheckedContent,
  world: DefinitionWorld,
): Promise<CheckedDefinition> {
  const diagnostics = [...(await formProblems(unchecked, world))];
  if (diagnostics.some(isError)) return { diagnostics };
  try {
    const plan = await lowerContent(unchecked);
    diagnostics.push(...reachProblems(plan, world.allowed));
    return diagnostics.some(isError) ? { diagnostics } : { plan, diagnostics };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { diagnostics: problemsOf(error) };
  }
}

/** The plan of a definition that was checked. */
export function lowerContent({ id, form, content }: UncheckedContent): Promise<Plan> {
  const text = textOfContent(content);
  return planOfPinned({ form, id, origin: id, sources: [{ file: id, text }] });
}

/** What the form itself, and what is registered here, say about it. */
async function formProblems(
  { id, form, content }: UncheckedContent,
  world: DefinitionWorld,
): Promise<readonly Diagnostic[]> {
  if (form === 'steps') return [];
  if (form === 'graph') {
    const { checkGraphDefinition } = await import('../../dialects/graph/index.js');
    const { agents, capabilities } = world.services();
    const source = typeof content === 'string' ? { file: id, text: content } : content;
    const names = new Set(agents.registeredNames());
    return checkGraphDefinition(source, { agents: names, capabilities, ...world.graphLimits }).issues;
  }
  const definition = typeof content === 'string' ? await parseDynamic(id, content) : content;
  return dynamicProblems([definition], world);
}

/** Problems of dynamic definitions that may call each other, checked as one bundle. */
async function dynamicProblems(
  definitions: readonly JsonObject[],
  world: DefinitionWorld,
): Promise<readonly Diagnostic[]> {
  try {
    return await checkDynamicBundle(definitions, world);
  } catch (error) {
    if (error instanceof DefinitionError) return problemsOf(error);
    throw error;
  }
}

/**
 * Checks dynamic definitions that may call each other as one bundle, and gives the warnings. Throws a
 * `DynamicWorkflowError` for the first definition that is refused, in the words of that form.
 */
export async function checkDynamicBundle(
  definitions: readonly JsonObject[],
  world: DefinitionWorld,
): Promise<readonly Diagnostic[]> {
  const { DynamicWorkflows } = await import('../../dialects/dynamic/dynamic-workflows.js');
  const registry = new DynamicWorkflows({
    services: () => world.services(),
    otherWorkflow: (name) => world.signatures.get(name),
    otherWorkflowNames: () => [...world.signatures.keys()],
  });
  await registry.addDynamicWorkflows(definitions);
  return registry.listWorkflows().flatMap(({ warnings }) => warnings);
}

async function parseDynamic(id: string, text: string): Promise<JsonObject> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // YAML, or broken: its reader tells which.
  }
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(text, { maxAliasCount: 100 });
    if (isObject(value)) return value;
  } catch (cause) {
    throw syntax(id, (cause as Error).message);
  }
  throw syntax(id, 'a definition must be an object');
}

function syntax(id: string, message: string): DefinitionError {
  return new DefinitionError({
    code: 'definition_invalid',
    message: `${id}: ${message}`,
    diagnostics: [{ code: 'syntax', severity: 'error', message }],
  });
}

function problemsOf(error: DefinitionError): readonly Diagnostic[] {
  if (error.diagnostics.length > 0) return error.diagnostics;
  return [{ code: error.code, severity: 'error', message: error.message }];
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}
