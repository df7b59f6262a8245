import { resolve } from 'node:path';
import { writeFileAtomically } from '../../files/write-file.js';
import type { CommandContext } from '../command-context.js';

/** Hands a report over, to a file or to standard output. Known secrets that came up in results are masked. */
export async function writeReport(
  text: string,
  path: string | undefined,
  { output, secrets, workingDirectory }: CommandContext,
): Promise<void> {
  const masked = secrets.mask(text);
  if (path === undefined || path === '-') await output.write(masked);
  else await writeFileAtomically(resolve(workingDirectory, path), masked);
}
