import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LaitError } from '../errors/lait-error.js';

export interface ReplaceOptions {
  /** Where the new content is written first; on the same file system as `path`. One writer at a time uses it. */
  temporary: string;
  /** Permissions of the file. Default 0600. */
  mode?: number;
  /** Also makes the name durable: needed when the file is new. */
  syncDirectory?: boolean;
}

/**
 * Replaces a file so that a crash at any point leaves the old content or the new one, whole: written beside it,
 * flushed to the disk, renamed. Missing directories are made, for their owner alone. Throws a `LaitError` (code
 * `file_unwritable`) that names the path and the reason; the old content is then still there.
 */
export async function replaceFile(path: string, content: string, options: ReplaceOptions): Promise<void> {
  const { temporary, mode = 0o600, syncDirectory = false } = options;
  let handle: FileHandle | undefined;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
    // What a killed writer left there must not keep its own permissions.
    await rm(temporary, { force: true });
    handle = await open(temporary, 'wx', mode);
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(temporary, path);
    if (syncDirectory) await flushDirectory(dirname(path));
  } catch (error) {
    await handle?.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
    throw unwritable(path, error);
  }
}

/** Windows knows no handles of directories: there the rename is all there is. */
async function flushDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'there is a directory in its place',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'a part of its path is not a directory',
};

/** The error for a path that could not be written. */
export function unwritable(path: string, cause: unknown): LaitError {
  const { code = '', message } = cause as { code?: string; message?: string };
  return new LaitError({
    code: 'file_unwritable',
    message: `cannot write ${path}: ${reasons[code] ?? message}`,
    cause: reasons[code] === undefined ? undefined : cause,
  });
}
