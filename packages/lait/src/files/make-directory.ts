import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and what is missing above it. Node's own recursive `mkdir` goes round for ever where the system says
 * that something is missing although nothing can be made, as below `/proc`; this one goes up once and down once. Throws
 * the system's error, and one with code `ENOTSUP` where no directory can be made. `mode`: what the umask may take from.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  const error = await tried(path, mode);
  if (error === undefined) return;
  const parent = dirname(path);
  if (error.code !== 'ENOENT' || parent === path) throw error;
  await makeDirectory(parent, mode);
  const again = await tried(path, mode);
  if (again === undefined) return;
  if (again.code !== 'ENOENT') throw again;
  throw Object.assign(new Error(`no directory can be made in ${parent}`), { code: 'ENOTSUP' });
}

/** What stands in the way of a directory at this path; nothing when there is one now, whoever made it. */
async function tried(path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
    return undefined;
  } catch (error) {
    const there = await stat(path).catch(() => undefined);
    return there?.isDirectory() === true ? undefined : (error as NodeJS.ErrnoException);
  }
}
