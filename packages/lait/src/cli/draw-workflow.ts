import { resolve } from 'node:path';
import { planOfFile } from '../config/load-plan.js';
import { checkWritable, writeFileAtomically } from '../files/write-file.js';
import { kinds } from '../kinds/index.js';
import { toDot } from '../plan/draw/dot.js';
import { drawPlan } from '../plan/draw/draw-plan.js';
import { toMermaid } from '../plan/draw/mermaid.js';
import type { Picture } from '../plan/draw/picture.js';
import { toSvg } from '../plan/draw/svg.js';
import { loadChildren } from '../plan/load-children.js';
import { readRegularFile } from '../plan/read-source.js';
import type { CommandContext } from './command-context.js';
import type { GraphOptions } from './commands/graph.js';
import { planServices } from './plan-services.js';
import { resolveRegisteredFile } from './run/resolve-workflow-file.js';
import type { ShownRun } from './runs/shown-run.js';

const writers: Readonly<
  Record<GraphOptions['format'], (picture: Picture, signal: AbortSignal) => string | Promise<string>>
> = {
  mermaid: toMermaid,
  dot: toDot,
  svg: toSvg,
};

/** Loaded when a run is shown: drawings of files do not pay for it. */
async function openShownRun(
  ...parts: Parameters<typeof import('./runs/shown-run.js').shownRun>
): Promise<ShownRun> {
  const { shownRun } = await import('./runs/shown-run.js');
  return shownRun(...parts);
}

/**
 * `lait graph`: draws a workflow of any form. Throws a `DefinitionError` when it, or with `--expand` a child, is wrong.
 */
export async function drawWorkflow(
  file: string,
  options: GraphOptions,
  context: CommandContext,
): Promise<void> {
  const { signal, workingDirectory } = context;
  const configuration = await context.configuration();
  const { path, name } = await resolveRegisteredFile(file, 'workflows', configuration, workingDirectory);
  const target = options.output === undefined || options.output === '-' ? undefined : options.output;
  if (target !== undefined) await checkWritable(resolve(workingDirectory, target));
  const shown =
    options.run === undefined ? undefined : await openShownRun(options.run, path, options, context);
  const plan = shown?.plan ?? (await planOfFile(path, { name, signal, read: readRegularFile }));
  const { children, failures } =
    options.expand === true
      ? await loadChildren(plan, { kinds, workflows: (await planServices(context)).workflows, signal })
      : { children: new Map(), failures: [] };
  if (failures.length > 0) throw failures[0]!.error;
  const text = await writers[options.format](
    drawPlan(plan, { kinds, children, standing: shown?.standing }),
    signal,
  );
  if (target === undefined) await context.output.write(text);
  else await writeFileAtomically(resolve(workingDirectory, target), text);
}
