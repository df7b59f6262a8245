import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from './make-directory.js';
import { unwritable } from './unwritable.js';

export interface ReplaceOptions {
  /**
   * Where the new content is written first; on the same file system as `path`, used by one writer at a time. Default: a
   * new name beside `path`.
   */
  temporary?: string;
  /** Permissions of the file, less what the process's umask takes away. Default 0600. */
  mode?: number;
  /** Permissions that the umask does not change: those of a file that is replaced. Default: as `mode` says. */
  exactMode?: number;
  /** Makes missing directories, for those who may read the file. Default false. */
  makeDirectories?: boolean;
  /** Also makes the name durable: needed when the file is new. Default false. */
  syncDirectory?: boolean;
  /** Fails (`errno` EEXIST in the details) instead of replacing what is there. Default false. */
  exclusive?: boolean;
}

/**
 * Replaces a file so that readers, and a crash at any point, find the old content or the new one, whole: written beside
 * it, flushed to the disk, renamed. Content in pieces is written one piece behind the other. Throws a `LaitError` (code
 * `file_unwritable`) that names the path and the reason; the old content is then still there.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[],
  options: ReplaceOptions = {},
): Promise<void> {
  const { temporary = join(dirname(path), `.${randomUUID()}.tmp`), mode = 0o600, exactMode } = options;
  const { makeDirectories = false, syncDirectory = false, exclusive = false } = options;
  // Whoever may read the file may enter its directory.
  const directoryMode = makeDirectories ? mode | ((mode & 0o444) >> 2) : undefined;
  let handle: FileHandle | undefined;
  try {
    handle = await inDirectory(temporary, directoryMode, () => openNew(temporary, mode));
    if (exactMode !== undefined) await handle.chmod(exactMode);
    if (isPieces(content)) await writePieces(handle, content);
    else await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    handle = undefined;
    // A link fails where a file appeared meanwhile; a rename would replace it.
    await inDirectory(path, directoryMode, () => (exclusive ? link : rename)(temporary, path));
    if (exclusive) await rm(temporary);
    if (syncDirectory) await flushDirectory(dirname(path));
  } catch (error) {
    await handle?.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
    throw unwritable(path, error);
  }
}

/** Directories are made when one turns out to be missing, not before: a run writes its record after each step. */
async function inDirectory<T>(path: string, mode: number | undefined, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (mode === undefined || (error as { code?: string }).code !== 'ENOENT') throw error;
    await makeDirectory(dirname(path), mode);
    return action();
  }
}

async function openNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    // What a killed writer left there must not keep its own permissions.
    await rm(path, { force: true });
    return open(path, 'wx', mode);
  }
}

function isPieces(content: string | Uint8Array | readonly Uint8Array[]): content is readonly Uint8Array[] {
  return Array.isArray(content);
}

/** One call for all pieces, and more where the system takes only a part, as on a disk that is nearly full. */
async function writePieces(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  let rest = pieces.filter(({ length }) => length > 0);
  while (rest.length > 0) {
    let { bytesWritten } = await handle.writev(rest);
    while (bytesWritten > 0 && bytesWritten >= rest[0]!.length) {
      bytesWritten -= rest[0]!.length;
      rest = rest.slice(1);
    }
    if (bytesWritten > 0) rest = [rest[0]!.subarray(bytesWritten), ...rest.slice(1)];
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
