import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextFile } from '../files/read-file.js';
import { isSameVariable } from '../values/read-variable.js';
import { parseDotenv } from './dotenv.js';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentOptions {
  /** Where `.env` is looked for. */
  workingDirectory: string;
  /** The inherited variables. They win over the file. */
  inherited: Variables;
  /** False leaves `.env` unread. Default true. */
  dotenv?: boolean;
  signal?: AbortSignal;
  /** Default: the one this runs on. */
  platform?: string;
}

/**
 * The variables a run sees: the inherited ones, and from the `.env` file of the working directory those that are not
 * set yet (an empty value counts as set). Throws what `parseDotenv` and `readTextFile` throw. Source: facts §1.1.
 */
export async function loadEnvironment(options: EnvironmentOptions): Promise<Variables> {
  const file = join(options.workingDirectory, '.env');
  if (options.dotenv === false || !(await isReadableFile(file))) return options.inherited;
  const text = await readTextFile(file, { signal: options.signal });
  return underlaid(parseDotenv(text, '.env'), defined(options.inherited), options.platform);
}

/** The file fills what is not set; on Windows `Path` is set when `PATH` is. */
function underlaid(file: Variables, inherited: Variables, platform?: string): Variables {
  const names = Object.keys(inherited);
  const added = Object.entries(file).filter(
    ([name]) => !names.some((other) => isSameVariable(name, other, platform)),
  );
  return { ...Object.fromEntries(added), ...inherited };
}

/** A directory named `.env` is common (virtual environments) and none of our business. */
async function isReadableFile(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function defined(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
