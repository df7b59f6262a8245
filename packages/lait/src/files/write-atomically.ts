import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LaitError } from '../errors/lait-error.js';

/**
 * Writes a whole file at once: readers see the old content or the new, never a part. Missing parents are made.
 * `mode`: permissions of the new file. Throws a `LaitError` with code `file_unwritable` that names the path.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, content, { flag: 'wx', mode: options.mode ?? 0o666 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new LaitError({
      code: 'file_unwritable',
      message: `cannot write ${path}: ${(error as Error).message}`,
      cause: error,
    });
  }
}
