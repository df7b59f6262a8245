import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { exists } from '../files/exists.js';
import type { Variables } from './environment.js';

export const configurationFileName = 'lait.config.yml';

/** The nearest lait.config.yml, from `directory` upwards. Source: facts §3. */
export async function findProjectConfiguration(directory: string): Promise<string | undefined> {
  for (let current = directory; ; current = dirname(current)) {
    const candidate = join(current, configurationFileName);
    if (await exists(candidate)) return candidate;
    if (dirname(current) === current) return undefined;
  }
}

/** The user's own file: `$XDG_CONFIG_HOME/lait/config.yml`, or below `~/.config`. Source: facts §3. */
export async function findGlobalConfiguration(variables: Variables): Promise<string | undefined> {
  const candidate = join(globalConfigurationDirectory(variables), 'config.yml');
  return (await exists(candidate)) ? candidate : undefined;
}

function globalConfigurationDirectory(variables: Variables): string {
  const base = variables.XDG_CONFIG_HOME;
  if (base !== undefined && isAbsolute(base)) return join(base, 'lait');
  return join(variables.HOME || homedir(), '.config', 'lait');
}
