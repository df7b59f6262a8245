import { constants, type Stats } from 'node:fs';
import { access, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { replaceFile } from './replace-file.js';
import { unwritable } from './unwritable.js';

/**
 * Writes a file for people, whole or not at all (`replaceFile`). A symbolic link keeps pointing where it did, an existing
 * file keeps its mode, missing directories are made; devices and pipes are written directly. Throws a `LaitError` (code
 * `file_unwritable`) that names the path.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const existing: Stats | undefined = await stat(target).catch(() => undefined);
  if (existing === undefined || existing.isFile() || existing.isDirectory()) {
    const exactMode =
      options.mode === undefined && existing !== undefined ? existing.mode & 0o777 : undefined;
    await replaceFile(target, content, { mode: options.mode ?? 0o666, exactMode, makeDirectories: true });
    return;
  }
  try {
    await writeFile(target, content);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Fails early when a result could not be written later: a directory in its place, no directory to make others in. */
export async function checkWritable(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true) throw unwritable(path, { code: 'EISDIR' });
  if (existing !== undefined) return;
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    try {
      // With a slash only a directory is found.
      return await access(join(directory, sep), constants.W_OK);
    } catch (error) {
      // A drive that is not there is missing up to its top.
      const isTop = directory === dirname(directory);
      if (isTop || (error as { code?: string }).code !== 'ENOENT') throw unwritable(path, error);
    }
  }
}
