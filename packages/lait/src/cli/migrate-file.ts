import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { migrateWorkflow } from '../dialects/migrate/migrate-workflow.js';
import { checkWritable, writeFileAtomically } from '../files/write-file.js';
import { formatDiagnostics } from '../plan/format-diagnostics.js';
import { readRegularFile } from '../plan/read-source.js';
import { printable } from '../values/printable.js';
import type { CommandContext } from './command-context.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { requireFile } from './require-file.js';

/**
 * `lait migrate`: rewrites a version 1 workflow as version 2, and lists what a person must decide. With `write` the
 * file is replaced, unless version 2 would refuse what came out. Throws what `requireFile`, `migrateWorkflow` and
 * reading throw.
 */
export async function migrateFile(
  file: string,
  { write }: { write?: true },
  { workingDirectory, output, signal }: CommandContext,
): Promise<ExitCode> {
  const path = await requireFile(file, workingDirectory);
  const { text: original } = await readRegularFile(path, { signal });
  const source = { file, text: original };
  const { text, decisions, remaining } = migrateWorkflow(source, {
    workingDirectory,
    directory: dirname(path),
  });
  for (const { message, position } of decisions) {
    const place = position === undefined ? file : `${file}:${position.line}:${position.column}`;
    output.line(`${place}: look at this: ${printable(message)}`);
  }
  if (write !== true) await output.write(text);
  if (remaining.length > 0) {
    output.line(formatDiagnostics(remaining, { sources: [{ file, text }], color: output.colored }));
    const problems = remaining.length === 1 ? 'a problem' : `${remaining.length} problems`;
    output.line(
      `lait: the migrated ${file} has ${problems}${write === true ? ' and was not written; without --write it is shown' : ''}`,
    );
    return exitCodes.definition;
  }
  if (write === true) {
    await checkWritable(path);
    await writeFileAtomically(await realpath(path), text);
    output.note(`${file} is a workflow of version 2 now`);
  }
  return exitCodes.ok;
}
