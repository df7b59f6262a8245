import type { Configuration } from '../../config/configuration.js';
import type { CommandContext } from '../command-context.js';

export interface RequestSettings {
  configuration: Configuration;
  override?: { base_url?: string; api_key?: string };
}

/**
 * Where requests of the command line go and with which key: the flags, then `OPENAI_API_KEY`, then the configuration.
 * The variable belongs to the server of `--base-url` or, without that flag, stands for the top-level key: an alias
 * keeps its own, and no key goes to a server that it was not meant for. Source: facts §3.
 */
export async function requestSettings(
  { baseUrl, apiKey }: { baseUrl?: string; apiKey?: string },
  context: CommandContext,
): Promise<RequestSettings> {
  const configuration = await context.trustedConfiguration();
  const fromEnvironment = (await context.variables()).OPENAI_API_KEY || undefined;
  context.secrets.add(apiKey);
  context.secrets.add(fromEnvironment);
  if (baseUrl !== undefined || apiKey !== undefined) {
    const key = apiKey ?? fromEnvironment;
    return {
      configuration,
      override: {
        ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
        ...(key === undefined ? {} : { api_key: key }),
      },
    };
  }
  if (fromEnvironment === undefined) return { configuration };
  const { api_key: _, api_key_cmd: __, ...values } = configuration.values;
  return { configuration: { ...configuration, values: { ...values, api_key: fromEnvironment } } };
}
