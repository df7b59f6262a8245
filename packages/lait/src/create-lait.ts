import { resolve } from 'node:path';
import { type Configuration, type ConfigurationValues, emptyConfiguration } from './config/configuration.js';
import type { Variables } from './config/environment.js';
import type { Lait, LaitOptions } from './lait.js';

/**
 * Starts lait: reads the configuration; servers and model clients start when a step needs them.
 * Throws a `DefinitionError` with every problem of the configuration.
 *
 * @example
 * const lait = await createLait();
 * const workflow = await lait.load('workflow.yml');
 * const result = await workflow.run({ input: 'text to work on' });
 * await lait.close();
 */
export async function createLait(options: LaitOptions = {}): Promise<Lait> {
  const { signal } = options;
  const workingDirectory = resolve(options.workingDirectory ?? '.');
  const inherited = options.variables ?? process.env;
  const variables =
    options.dotenv === true
      ? await (await import('./config/environment.js')).loadEnvironment({
          workingDirectory,
          inherited,
          signal,
        })
      : inherited;
  const configuration = await configurationOf(options, workingDirectory, variables);
  // Imported here: who imports lait to name things only does not pay for what reads and runs workflows.
  const { Lait } = await import('./lait.js');
  const lait = new Lait(configuration, { ...options, workingDirectory, variables });
  if (options.definitionStore !== undefined) await lait.restoreDynamicWorkflows();
  return lait;
}

async function configurationOf(
  { config, signal }: LaitOptions,
  workingDirectory: string,
  variables: Variables,
): Promise<Configuration> {
  if (config === false) return emptyConfiguration;
  if (config === undefined || typeof config === 'string') {
    const { loadConfiguration } = await import('./config/load-configuration.js');
    return loadConfiguration({ workingDirectory, variables, file: config, signal });
  }
  if (isLoaded(config)) return config;
  const { readConfiguration } = await import('./config/read-configuration.js');
  const source = { file: '<config>', text: JSON.stringify(config, null, 2) };
  return { files: [], values: readConfiguration(source, workingDirectory) };
}

function isLoaded(config: ConfigurationValues | Configuration): config is Configuration {
  return Array.isArray((config as Configuration).files);
}
