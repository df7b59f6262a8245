import { isAbsolute, relative, resolve } from 'node:path';
import type { Configuration } from '../../config/configuration.js';
import { isWorkflowPath } from '../../config/workflow-service.js';
import { UsageError } from '../../errors/errors.js';
import { exists } from '../../files/exists.js';
import { didYouMean } from '../../plan/suggest.js';
import { ownProperty } from '../../values/value.js';

export interface ResolvedFile {
  /** Absolute path. */
  path: string;
  /** As messages call it: as it was given, or relative to the working directory. */
  name: string;
  /** What the person should know about how it was found. */
  note?: string;
}

/**
 * What FILE means: a file that exists, else a name under the section of the configuration. Says so when the two compete.
 * Throws a `UsageError` (code `file_not_found`) when it is neither. Source: facts §1.2.
 */
export async function resolveRegisteredFile(
  file: string,
  section: 'workflows' | 'agents' | 'prompts',
  configuration: Configuration,
  workingDirectory: string,
): Promise<ResolvedFile> {
  if (file === '') throw new UsageError({ code: 'file_not_found', message: 'FILE is empty' });
  const path = resolve(workingDirectory, file);
  const registered = ownProperty(configuration.values[section] ?? {}, file);
  if (await exists(path)) {
    const note = `'${file}' is a file here; the name '${file}' under ${section}: of the configuration is not used`;
    return typeof registered === 'string' ? { path, name: file, note } : { path, name: file };
  }
  if (typeof registered === 'string') {
    const name = shortened(registered, workingDirectory);
    return { path: registered, name, note: `'${file}' is ${name} (${section}: of the configuration)` };
  }
  throw notFound(file, section, configuration);
}

function notFound(
  file: string,
  section: 'workflows' | 'agents' | 'prompts',
  configuration: Configuration,
): UsageError {
  const names = Object.keys(configuration.values[section] ?? {});
  const hint = didYouMean(file, names);
  const registry =
    isWorkflowPath(file) || names.length === 0
      ? ''
      : `, and the configuration has no such name under ${section}: (it has ${names.join(', ')})`;
  return new UsageError({
    code: 'file_not_found',
    message: `cannot read ${file}: no such file${registry}${hint === undefined ? '' : `; ${hint}`}`,
  });
}

function shortened(path: string, workingDirectory: string): string {
  const name = relative(workingDirectory, path);
  return name.startsWith('..') || isAbsolute(name) ? path : name;
}
