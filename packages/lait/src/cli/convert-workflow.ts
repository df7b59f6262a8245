import { dirname, resolve } from 'node:path';
import type { Conversion } from '../dialects/convert/loss.js';
import { convertToDynamic } from '../dialects/convert/to-dynamic.js';
import { convertToSteps } from '../dialects/convert/to-steps.js';
import { detectFormOfText } from '../dialects/detect.js';
import { loadDynamicWorkflow } from '../dialects/dynamic/load-workflow.js';
import { SourcePositions } from '../dialects/dynamic/source-positions.js';
import { loadStepsWorkflow } from '../dialects/steps/load-workflow.js';
import { DefinitionError, UsageError } from '../errors/errors.js';
import { checkWritable, writeFileAtomically } from '../files/write-file.js';
import { kinds } from '../kinds/index.js';
import { allNodes } from '../plan/all-nodes.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { Form } from '../plan/plan.js';
import { Problems } from '../plan/problems.js';
import { readRegularFile } from '../plan/read-source.js';
import type { SourceFile } from '../plan/source.js';
import { nodeAtDotted } from '../plan/yaml/node-at.js';
import type { CommandContext } from './command-context.js';
import type { ConvertOptions } from './commands/convert.js';
import { resolveRegisteredFile } from './run/resolve-workflow-file.js';

/**
 * `lait convert`: translates a workflow to another form. Throws a `DefinitionError` when the file is wrong, or holds
 * anything that the other form cannot say: then nothing is written.
 */
export async function convertWorkflow(
  file: string,
  { to, output: outputPath }: ConvertOptions,
  context: CommandContext,
): Promise<void> {
  const { signal, workingDirectory, output } = context;
  const { path } = await resolveRegisteredFile(
    file,
    'workflows',
    await context.configuration(),
    workingDirectory,
  );
  const target = outputPath === undefined || outputPath === '-' ? undefined : outputPath;
  if (target !== undefined) await checkWritable(resolve(workingDirectory, target));
  const { text } = await readRegularFile(path, { signal });
  const source: SourceFile = { file, text };
  const form = detectFormOfText(text);
  if (form === to) throw usage(`${file} is of the ${to} form already`);
  const convert = conversions[form];
  if (convert === undefined) throw usage(`${file} is of the ${form} form, which cannot be converted`);
  const { result, notes } = convert(source, path);
  for (const note of notes) output.note(note);
  if (target === undefined) await output.write(result);
  else await writeFileAtomically(resolve(workingDirectory, target), result);
}

/** By the form that is translated: each has one other. */
const conversions: Partial<Record<Form, (source: SourceFile, path: string) => Converted>> = {
  steps: stepsToDynamic,
  dynamic: dynamicToSteps,
};

function dynamicToSteps(source: SourceFile, path: string): Converted {
  const { plan, definition, diagnostics } = loadDynamicWorkflow(source, { directory: dirname(path) });
  if (plan === undefined || definition === undefined) throw invalid(source, diagnostics);
  const positions = new SourcePositions(source);
  return complete(convertToSteps(definition), source, (at) => positions.of(at));
}

function stepsToDynamic(source: SourceFile, path: string): Converted {
  const { plan, root, diagnostics } = loadStepsWorkflow(source, { directory: dirname(path) });
  if (plan === undefined || root === undefined) throw invalid(source, diagnostics);
  const positions = new Map([...allNodes(plan.body.nodes, kinds)].map((node) => [node.path, node.position]));
  const problems = new Problems(source);
  const converted = complete(
    convertToDynamic(plan),
    source,
    // What is no step is a key of the file, or lies below one.
    (at) => positions.get(at) ?? problems.position(nodeAtDotted(root, at).range),
  );
  return { notes: converted.notes, result: `${JSON.stringify(converted.result, null, 2)}\n` };
}

interface Converted<Result = string> {
  result: Result;
  notes: readonly string[];
}

function complete<Result>(
  { result, losses, notes }: Conversion<Result>,
  source: SourceFile,
  positionOf: (path: string) => Diagnostic['position'],
): Converted<Result> {
  if (losses.length > 0) {
    const diagnostics = losses.map(({ path, message }): Diagnostic => {
      const position = positionOf(path);
      return {
        code: 'cannot_convert',
        severity: 'error',
        path,
        message,
        ...(position === undefined ? {} : { position }),
      };
    });
    throw new DefinitionError({
      code: 'cannot_convert',
      message: `${source.file} holds ${losses.length === 1 ? 'a part' : `${losses.length} parts`} that the other form cannot say`,
      diagnostics,
      sources: [source],
    });
  }
  return { result: result!, notes };
}

function invalid(source: SourceFile, diagnostics: readonly Diagnostic[]): DefinitionError {
  return new DefinitionError({
    code: 'definition_invalid',
    message: `${source.file} has problems`,
    diagnostics,
    sources: [source],
  });
}

function usage(message: string): UsageError {
  return new UsageError({ code: 'convert_form', message });
}
