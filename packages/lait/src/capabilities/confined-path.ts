import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StepError } from '../errors/errors.js';
import { makeDirectory } from '../files/make-directory.js';

/**
 * The absolute path of a file below `root`. Refuses absolute paths, `..`, and links that lead out of the root; with
 * `create`, missing directories are made. Throws a `StepError` with code `path_refused`. Source: graph facts §10.
 */
export async function confinedPath(
  root: string,
  path: string,
  options: { create?: boolean } = {},
): Promise<string> {
  if (path === '' || path.includes('\0')) throw refused(path, 'is no file name');
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path) || path.startsWith('\\'))
    throw refused(path, 'must be relative');
  const parts = path.split(/[/\\]/);
  if (parts.includes('..')) throw refused(path, "must not hold '..'");
  if (parts.at(-1) === '' || parts.at(-1) === '.') throw refused(path, 'names a directory');
  if (options.create === true) await makeDirectory(root);
  const realRoot = await realpath(root).catch(() => {
    throw refused(path, `cannot be looked for: the root ${root} does not exist`);
  });
  const target = resolve(realRoot, path);
  await checkInside(realRoot, dirname(target), path, options.create === true);
  const found = await lstat(target).catch(() => undefined);
  if (found?.isSymbolicLink() === true) await checkTarget(realRoot, target, path);
  if (found?.isDirectory() === true) throw refused(path, 'names a directory');
  return target;
}

/** Walks down to the directory: each existing part must lie inside, each missing one is made or refused. */
async function checkInside(root: string, directory: string, path: string, create: boolean): Promise<void> {
  let current = root;
  for (const part of relative(root, directory).split(sep)) {
    if (part === '') continue;
    current = join(current, part);
    if (create) {
      await mkdir(current).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw refused(path, `cannot be written: ${error.code ?? error.message}`);
      });
    }
    await checkTarget(root, current, path);
  }
}

async function checkTarget(root: string, place: string, path: string): Promise<void> {
  const real = await realpath(place).catch(() => {
    throw new StepError({ code: 'file_not_found', message: `there is no file '${path}'` });
  });
  if (real !== root && !real.startsWith(root + sep)) throw refused(path, 'leads out of the root');
}

function refused(path: string, reason: string): StepError {
  return new StepError({
    code: 'path_refused',
    message: `path ${JSON.stringify(path.slice(0, 200))} ${reason}`,
  });
}
