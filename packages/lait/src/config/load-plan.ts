import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { detectForm, detectFormOfText } from '../dialects/detect.js';
import { loadStepsWorkflow } from '../dialects/steps/load-workflow.js';
import { DefinitionError } from '../errors/errors.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { Form, Plan } from '../plan/plan.js';
import { readSourceFile } from '../plan/read-source.js';
import type { SourceFile } from '../plan/source.js';
import type { JsonObject } from '../values/value.js';
import type { DynamicFileOptions } from './dynamic-file-options.js';

export interface LoadPlanOptions extends FormOptions {
  /** How messages and events call the file. Default: the path. */
  name?: string;
  signal?: AbortSignal;
  /** Told of every warning. */
  onWarning?: (diagnostic: Diagnostic) => void;
}

/** How large a graph may be. */
export interface GraphLimits {
  maxNodes?: number;
  maxEdges?: number;
}

/** What the readers of single forms are told. */
export interface FormOptions {
  /** How large a graph may be. Default: 30 nodes and 60 edges. */
  graphLimits?: GraphLimits;
  /** Default: names in definitions are looked up when a step needs them. */
  dynamic?: DynamicFileOptions;
}

interface ReadOptions extends FormOptions {
  directory: string;
  /** It was accepted before: what it refers to is looked up when a step needs it. */
  pinned?: boolean;
}

/** What a form's reader gives: a plan when there are no errors, and every problem. */
interface Loaded {
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

type Reader = (source: SourceFile, options: ReadOptions) => Promise<Loaded>;

/** The readers of the forms, each loaded when a file of that form is read. */
const readers: Readonly<Record<Form, Reader>> = {
  steps: async (source, options) => loadStepsWorkflow(source, options),
  dynamic: async (source, options) => {
    const { loadDynamicWorkflow } = await import('../dialects/dynamic/load-workflow.js');
    const { directory, pinned } = options;
    return loadDynamicWorkflow(source, { ...(await options.dynamic?.()), directory, pinned });
  },
  graph: async (source, options) => {
    const { graphPlan } = await import('../dialects/graph/index.js');
    try {
      const { plan, warnings } = graphPlan(source, { directory: options.directory, ...options.graphLimits });
      return { plan, diagnostics: warnings };
    } catch (error) {
      if (error instanceof DefinitionError) return { diagnostics: error.diagnostics };
      throw error;
    }
  },
};

/**
 * Reads a workflow file of any form. `path` is absolute. Throws a `DefinitionError` with every problem, warnings
 * included.
 */
export async function planOfFile(path: string, options: LoadPlanOptions = {}): Promise<Plan> {
  const { name = path, signal, onWarning, graphLimits, dynamic } = options;
  const shown = resolve(name) === path ? name : path;
  const { text } = await readSourceFile(shown, { signal });
  const plan = await lower(
    detectFormOfText(text),
    { file: name, text },
    { directory: dirname(path), graphLimits, dynamic },
    onWarning,
  );
  return { ...plan, origin: await realpath(path).catch(() => path) };
}

/** Checks and lowers a definition that a program hands over; relative paths in it start from `directory`. */
export async function planOfDefinition(
  definition: JsonObject,
  directory: string,
  options: FormOptions = {},
): Promise<Plan> {
  const source = { file: '<definition>', text: JSON.stringify(definition, null, 2) };
  const plan = await lower(detectForm(definition), source, { directory, ...options });
  return { ...plan, origin: plan.origin ?? `<definition ${plan.id}>` };
}

/** The plan of a run's pinned definition. Throws a `DefinitionError` when this version cannot read it any more. */
export async function planOfPinned(
  definition: PinnedDefinition,
  { dynamic }: Pick<FormOptions, 'dynamic'> = {},
): Promise<Plan> {
  const { form, id, origin, directory = '.', sources } = definition;
  const [source] = sources;
  if (source === undefined) {
    throw new DefinitionError({
      code: 'definition_invalid',
      message: `run of '${id}' has no sources`,
      diagnostics: [],
    });
  }
  // It was accepted once; limits that have changed since do not stop a run.
  const graphLimits = { maxNodes: Number.POSITIVE_INFINITY, maxEdges: Number.POSITIVE_INFINITY };
  const options = { directory, graphLimits, dynamic, pinned: true };
  return { ...(await lower(form, source, options)), id, origin };
}

/** What a run keeps of the workflow that it runs. */
export interface PinnedDefinition {
  form: Form;
  id: string;
  origin: string;
  directory?: string;
  sources: readonly SourceFile[];
}

/** Every problem of a workflow's text, for lint. */
export async function checkPlanText(
  source: SourceFile,
  options: FormOptions = {},
): Promise<readonly Diagnostic[]> {
  const form = detectFormOfText(source.text);
  if (form === 'steps') {
    const { lintStepsWorkflow } = await import('../dialects/steps/lint-workflow.js');
    return lintStepsWorkflow(source);
  }
  const { diagnostics } = await readers[form](source, {
    directory: dirname(resolve(source.file)),
    ...options,
  });
  return diagnostics;
}

async function lower(
  form: Form,
  source: SourceFile,
  options: ReadOptions,
  onWarning?: (diagnostic: Diagnostic) => void,
): Promise<Plan> {
  const { plan, diagnostics } = await readers[form](source, options);
  if (plan === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    throw new DefinitionError({
      code: 'definition_invalid',
      message: `${source.file} has ${errors === 1 ? 'a problem' : `${errors} problems`}`,
      diagnostics,
      sources: [source],
    });
  }
  for (const diagnostic of diagnostics) onWarning?.(diagnostic);
  return plan;
}
