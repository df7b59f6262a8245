import { resolve } from 'node:path';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findFiles } from './find-files.js';
import { lintContext } from './lint-context.js';
import { type LintedFile, lintFile } from './lint-file.js';
import { type LintFormat, lintFormats } from './lint-formats.js';

/** `lait lint`: checks every file, whatever the others hold. Exit code 3 when one has an error. Source: facts §17. */
export async function lintPaths(
  paths: readonly string[],
  format: LintFormat,
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  const found = await findFiles(paths);
  const configured = await lintContext(found, context);
  // A configuration among the files is checked like the others, under the name that was given.
  const named = new Set(found.map((file) => resolve(file)));
  const files: LintedFile[] = configured.configurations.filter(({ file }) => !named.has(resolve(file)));
  for (const file of found) files.push(await lintFile(file, configured.context));
  if (configured.namesUnchecked()) {
    output.warning(
      'there is no configuration: names of servers, tools, agents, capabilities and workflows were not checked',
    );
  }
  const color = process.stdout.isTTY && !process.env.NO_COLOR;
  await output.write(await lintFormats[format](files, { color }));
  const broken = files.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (broken.length === 0) return exitCodes.ok;
  output.line(`lait: ${broken.length} of ${files.length} file(s) had errors`);
  return exitCodes.definition;
}
