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

export interface LoadPlanOptions {
  /** How messages and events call the file. Default: the path. */
  name?: string;
  signal?: AbortSignal;
  /** Told of every warning. */
  onWarning?: (diagnostic: Diagnostic) => void;
}

interface ReadOptions {
  directory: string;
}

/** What a form's reader gives: a plan when there are no errors, and every problem. */
interface Loaded {
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

type Reader = (source: SourceFile, options: ReadOptions) => Promise<Loaded>;

/** The readers of the forms, each loaded when a file of that form is read. */
const readers: Readonly<Partial<Record<Form, Reader>>> = {
  steps: async (source, options) => loadStepsWorkflow(source, options),
};

/**
 * Reads a workflow file of any form. `path` is absolute. Throws a `DefinitionError` with every problem, warnings
 * included.
 */
export async function planOfFile(path: string, options: LoadPlanOptions = {}): Promise<Plan> {
  const { name = path, signal, onWarning } = options;
  const shown = resolve(name) === path ? name : path;
  const { text } = await readSourceFile(shown, { signal });
  const plan = await lower(
    detectFormOfText(text),
    { file: name, text },
    { directory: dirname(path) },
    onWarning,
  );
  return { ...plan, origin: await realpath(path).catch(() => path) };
}

/** Checks and lowers a definition that a program hands over; relative paths in it start from `directory`. */
export async function planOfDefinition(definition: JsonObject, directory: string): Promise<Plan> {
  const source = { file: '<definition>', text: JSON.stringify(definition, null, 2) };
  const plan = await lower(detectForm(definition), source, { directory });
  return { ...plan, origin: plan.origin ?? `<definition ${plan.id}>` };
}

/** Every problem of a workflow's text, for lint. */
export async function checkPlanText(source: SourceFile): Promise<readonly Diagnostic[]> {
  const form = detectFormOfText(source.text);
  const { diagnostics } = await readerOf(form, source)(source, { directory: dirname(resolve(source.file)) });
  return diagnostics;
}

async function lower(
  form: Form,
  source: SourceFile,
  options: ReadOptions,
  onWarning?: (diagnostic: Diagnostic) => void,
): Promise<Plan> {
  const { plan, diagnostics } = await readerOf(form, source)(source, options);
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

function readerOf(form: Form, source: SourceFile): Reader {
  const read = readers[form];
  if (read !== undefined) return read;
  throw new DefinitionError({
    code: 'form_unsupported',
    message: `${source.file} is a workflow of the ${form} form, which cannot be run yet`,
    diagnostics: [],
  });
}
