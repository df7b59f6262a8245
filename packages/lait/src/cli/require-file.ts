import { resolve } from 'node:path';
import { UsageError } from '../errors/errors.js';
import { exists } from '../files/exists.js';

/**
 * The absolute path of a file that the command line names. One that is not there is a wrong call: throws a `UsageError`
 * (code `file_not_found`).
 */
export async function requireFile(file: string, workingDirectory = process.cwd()): Promise<string> {
  const path = resolve(workingDirectory, file);
  if (await exists(path)) return path;
  throw new UsageError({ code: 'file_not_found', message: `cannot read ${file}: no such file` });
}
