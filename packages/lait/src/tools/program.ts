import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { readVariable } from '../values/read-variable.js';

export interface ProgramSearch {
  /** Where a program given by path starts from. */
  directory: string;
  /** What the program will see; its `PATH` is searched, never this process's own. */
  environment: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
  isProgram?: (file: string) => boolean;
}

/**
 * Finds a program: a path (absolute, or relative to `directory`), else a bare name in the directories of `PATH`.
 * Without `PATH` a bare name is not found: the system's built-in default must not widen an allow-list.
 * Source: steps seed, `run` and its `env`.
 *
 * @returns the absolute path, or `undefined`
 */
export function locateProgram(name: string, search: ProgramSearch): string | undefined {
  const platform = search.platform ?? process.platform;
  const isProgram = search.isProgram ?? isExecutableFile;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const candidates = programCandidates(name, search.environment, platform);
  if (isPath(name, platform)) {
    return candidates.map((file) => paths.resolve(search.directory, file)).find(isProgram);
  }
  for (const entry of readVariable(search.environment, 'PATH', platform)?.split(paths.delimiter) ?? []) {
    // An empty entry means the current directory: the convention of `PATH` on POSIX systems.
    if (entry === '' && platform === 'win32') continue;
    for (const file of candidates) {
      const found = paths.resolve(search.directory, entry, file);
      if (isProgram(found)) return found;
    }
  }
  return undefined;
}

/** True when a program is given by its path and not by a bare name. */
export function isPath(name: string, platform: NodeJS.Platform = process.platform): boolean {
  return name.includes('/') || (platform === 'win32' && (name.includes('\\') || /^[A-Za-z]:/.test(name)));
}

/** Windows starts `npx` when a file `npx.cmd` is there: the endings of `PATHEXT` are tried in order. */
function programCandidates(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string[] {
  if (platform !== 'win32') return [name];
  const endings = (readVariable(environment, 'PATHEXT', platform) ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter(Boolean);
  const complete = endings.some((ending) => name.toUpperCase().endsWith(ending.toUpperCase()));
  return complete ? [name] : endings.map((ending) => name + ending.toLowerCase());
}

function isExecutableFile(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    if (process.platform !== 'win32') accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
