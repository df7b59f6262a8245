import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LaitError } from '../errors/lait-error.js';

/**
 * Writes a whole file so that readers see the old or the new content and nothing between: into a new file beside it,
 * flushed, then renamed. A symbolic link keeps pointing where it did, an existing file keeps its mode; devices and
 * pipes are written directly. Throws a `LaitError` (code `file_unwritable`) that names the path.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path);
    const existing: Stats | undefined = await stat(target).catch(() => undefined);
    if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) {
      await writeFile(target, content);
      return;
    }
    const mode = options.mode ?? (existing === undefined ? 0o666 : existing.mode & 0o777);
    await replaceFile(target, content, mode);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Fails early when a result could not be written later: missing directory, a directory in its place. */
export async function checkWritable(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true) throw unwritable(path, { code: 'EISDIR' });
  if (existing !== undefined) return;
  const directory = await stat(dirname(path)).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  if (!directory.isDirectory()) throw unwritable(path, { code: 'ENOTDIR' });
}

async function replaceFile(target: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(temporary, 'wx', mode);
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(temporary, target);
  } catch (error) {
    await handle?.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
};

function unwritable(path: string, error: unknown): LaitError {
  const { code, message } = error as { code?: string; message?: string };
  return new LaitError({
    code: 'file_unwritable',
    message: `cannot write ${path}: ${reasons[code ?? ''] ?? message}`,
  });
}
