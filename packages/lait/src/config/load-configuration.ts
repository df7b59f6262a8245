import { dirname, resolve } from 'node:path';
import { DefinitionError, UsageError } from '../errors/errors.js';
import { readSourceFile } from '../plan/read-source.js';
import type { Configuration, ConfigurationValues } from './configuration.js';
import { emptyConfiguration } from './configuration.js';
import type { Variables } from './environment.js';
import { findGlobalConfiguration, findProjectConfiguration } from './find-configuration.js';
import { mergeConfigurations } from './merge-configurations.js';
import { readConfiguration } from './read-configuration.js';

export interface ConfigurationOptions {
  /** Where the search upwards begins. */
  workingDirectory: string;
  variables: Variables;
  /** The only file to read; false for none; undefined to search. */
  file?: string | false;
  signal?: AbortSignal;
}

/**
 * The configuration of a directory: the nearest lait.config.yml over the user's global file, or only the file that was
 * named. Throws a `UsageError` when the named file does not exist and a `DefinitionError` with every problem of a file.
 * Source: facts §3.
 */
export async function loadConfiguration(options: ConfigurationOptions): Promise<Configuration> {
  const { file, workingDirectory, variables, signal } = options;
  if (file === false) return emptyConfiguration;
  if (file !== undefined) {
    const path = resolve(workingDirectory, file);
    const values = await readOne(path, file, signal);
    return { values: withoutTrust(values, path), files: [path], project: { file: path, values } };
  }
  const project = await findProjectConfiguration(workingDirectory);
  const global = await findGlobalConfiguration(variables);
  const files = [project, global].filter((path) => path !== undefined);
  const [upper, lower] = await Promise.all(files.map((path) => readOne(path, undefined, signal)));
  if (upper === undefined) return emptyConfiguration;
  if (project === undefined) return { values: upper, files, trust: upper.trust };
  const values = withoutTrust(upper, project);
  return {
    values: lower === undefined ? values : mergeConfigurations(values, lower),
    files,
    project: { file: project, values },
    trust: lower?.trust,
  };
}

/** A project cannot say itself that it is to be trusted. */
function withoutTrust(values: ConfigurationValues, path: string): ConfigurationValues {
  if (values.trust === undefined) return values;
  const message = "trust: belongs into the user's own file, ~/.config/lait/config.yml";
  throw new DefinitionError({
    code: 'configuration_invalid',
    message: `${path}: ${message}`,
    diagnostics: [{ code: 'unknown_field', severity: 'error', message: `${path}: ${message}` }],
  });
}

async function readOne(
  path: string,
  named: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ConfigurationValues> {
  try {
    const source = await readSourceFile(path, { signal });
    return readConfiguration(source, dirname(path));
  } catch (error) {
    if (named === undefined || (error as { code?: string }).code !== 'file_not_found') throw error;
    throw new UsageError({
      code: 'file_not_found',
      message: `the configuration file ${named} does not exist`,
    });
  }
}
