import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { detectForm, detectFormOfText } from '../dialects/detect.js';
import type { FormOptions, LintedWorkflow, ReadOptions } from '../dialects/dialect.js';
import { dialectOf } from '../dialects/index.js';
import { DefinitionError } from '../errors/errors.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { Form, Plan } from '../plan/plan.js';
import { type ReadSource, readSourceFile } from '../plan/read-source.js';
import type { SourceFile } from '../plan/source.js';
import type { JsonObject } from '../values/value.js';

export interface LoadPlanOptions extends FormOptions {
  /** How messages and events call the file. Default: the path. */
  name?: string;
  signal?: AbortSignal;
  /** Reads the file. Default: from the disk. */
  read?: ReadSource;
  /** Told of every warning. */
  onWarning?: (diagnostic: Diagnostic) => void;
}

/**
 * Reads a workflow file of any form. `path` is absolute. Throws a `DefinitionError` with every problem, warnings
 * included.
 */
export async function planOfFile(path: string, options: LoadPlanOptions = {}): Promise<Plan> {
  const { name = path, signal, read = readSourceFile, onWarning, graphLimits, dynamic } = options;
  const shown = resolve(name) === path ? name : path;
  const { text } = await read(shown, { signal });
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
  return { ...(await lower(form, source, options)), id, origin, sources };
}

/** What a run keeps of the workflow that it runs. */
export interface PinnedDefinition {
  form: Form;
  id: string;
  origin: string;
  directory?: string;
  sources: readonly SourceFile[];
}

/** Every problem of a workflow's text, and where the parts of its plan stand when its form tells. */
export function lintPlanText(source: SourceFile, options: FormOptions = {}): Promise<LintedWorkflow> {
  const { lint, read } = dialectOf(detectFormOfText(source.text));
  return lint?.(source) ?? read(source, { directory: dirname(resolve(source.file)), ...options });
}

async function lower(
  form: Form,
  source: SourceFile,
  options: ReadOptions,
  onWarning?: (diagnostic: Diagnostic) => void,
): Promise<Plan> {
  const { plan, diagnostics } = await dialectOf(form).read(source, options);
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
