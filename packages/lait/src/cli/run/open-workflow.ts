import { resolve } from 'node:path';
import type { Configuration } from '../../config/configuration.js';
import { checkWritable } from '../../files/write-file.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Workflow } from '../../workflow.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { type ConfiguredLait, configuredLait } from './configured-lait.js';
import { resolveRegisteredFile } from './resolve-workflow-file.js';
import type { RunDisplay } from './run-display.js';
import { writesFile } from './write-result.js';

/** A checked workflow, and the lait that runs it. Close it at the end. */
export interface OpenedWorkflow extends ConfiguredLait {
  workflow: Workflow;
  /** Absolute path of its file. */
  path: string;
  configuration: Configuration;
}

/**
 * Finds and checks everything that can be wrong before the first step: configuration, FILE, the place of the result,
 * the workflow. Warnings about the workflow are shown.
 */
export async function openWorkflow(
  file: string,
  options: RunOptions,
  context: CommandContext,
  display: RunDisplay,
): Promise<OpenedWorkflow> {
  const { output, signal, workingDirectory } = context;
  const configuration =
    options.dryRun === true ? await context.configuration() : await context.trustedConfiguration();
  for (const path of configuration.files) context.log(1, `configuration: ${path}`);
  const { path, name, note } = await resolveRegisteredFile(
    file,
    'workflows',
    configuration,
    workingDirectory,
  );
  if (note !== undefined && options.quiet !== true) output.note(note);
  if (writesFile(options)) await checkWritable(resolve(workingDirectory, options.output!));
  const configured = await configuredLait(configuration, options, context, display);
  const { lait, replies } = configured;
  const warnings: Diagnostic[] = [];
  const onWarning = (diagnostic: Diagnostic) => warnings.push(diagnostic);
  const workflow = await lait.load(path, { name, signal, onWarning });
  if (warnings.length > 0) {
    const { formatDiagnostics } = await import('../../plan/format-diagnostics.js');
    output.line(formatDiagnostics(warnings, { sources: workflow.plan.sources, color: output.colored }));
  }
  replies.scripted?.knowSteps(workflow.plan);
  return { ...configured, workflow, path, configuration };
}
