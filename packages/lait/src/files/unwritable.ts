import { LaitError } from '../errors/lait-error.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'something is there already',
  EISDIR: 'there is a directory in its place',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ENAMETOOLONG: 'the name is too long',
};

/**
 * The error (code `file_unwritable`) for a path that could not be written. Its details hold the system's `errno` and the
 * `reason` in words.
 */
export function unwritable(path: string, cause: unknown): LaitError {
  const { code = '', message } = cause as { code?: string; message?: string };
  const reason = reasons[code] ?? message ?? String(cause);
  return new LaitError({
    code: 'file_unwritable',
    message: `cannot write ${path}: ${reason}`,
    details: { errno: code, reason },
  });
}
