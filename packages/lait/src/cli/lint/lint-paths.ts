import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findFiles } from './find-files.js';
import { type LintedFile, lintFile } from './lint-file.js';
import { type LintFormat, lintFormats } from './lint-formats.js';

/** `lait lint`: checks every file, whatever the others hold. Exit code 3 when one has an error. Source: facts §17. */
export async function lintPaths(
  paths: readonly string[],
  format: LintFormat,
  { output, signal }: CommandContext,
): Promise<ExitCode> {
  const files: LintedFile[] = [];
  for (const file of await findFiles(paths)) files.push(await lintFile(file, signal));
  await output.write(lintFormats[format](files, { color: process.stdout.isTTY && !process.env.NO_COLOR }));
  const broken = files.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  if (broken.length === 0) return exitCodes.ok;
  output.line(`lait: ${broken.length} of ${files.length} file(s) had errors`);
  return exitCodes.definition;
}
