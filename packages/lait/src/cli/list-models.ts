import type { Configuration } from '../config/configuration.js';
import { defaultBaseUrl, type ModelServiceOptions } from '../models/model-options.js';
import { resolveModel } from '../models/resolve-model.js';
import type { ModelEntry } from '../plan/settings.js';
import { preview } from '../values/printable.js';
import type { CommandContext } from './command-context.js';
import { tableText } from './print-table.js';

interface ListOptions {
  json?: true;
  remote?: true;
  baseUrl?: string;
}

/**
 * Lists the model aliases of the configuration, without running key commands or replacing variables; with `remote`
 * what the server of the default model offers. Source: facts §1.3.
 */
export async function listModels(options: ListOptions, context: CommandContext): Promise<undefined> {
  const configuration =
    options.remote === true ? await context.trustedConfiguration() : await context.configuration();
  if (options.remote === true) {
    await listRemote(options, configuration, context);
    return;
  }
  const { output } = context;
  const { values } = configuration;
  const defaultModel = values.default?.model ?? null;
  const models = Object.entries(values.models ?? {}).map(([name, entries]) =>
    describe(name, entries, name === defaultModel, values.base_url ?? defaultBaseUrl),
  );
  if (options.json === true) {
    await output.writeJson({ default_model: defaultModel, models });
    return;
  }
  if (models.length === 0) output.note('no model aliases; name them under models: of lait.config.yml');
  if (defaultModel !== null && !models.some((model) => model.default)) {
    output.note(
      `the default model '${defaultModel}' is no alias; it is sent as it is to ${values.base_url ?? defaultBaseUrl}`,
    );
  }
  await output.write(
    tableText(
      models.map((model) => [
        model.default ? '*' : ' ',
        preview(model.name),
        preview(model.model_id),
        preview(model.base_url),
        model.fallbacks.length === 0 ? '' : `then ${preview(model.fallbacks.join(', '))}`,
      ]),
    ),
  );
}

function describe(name: string, entries: readonly ModelEntry[], isDefault: boolean, baseUrl: string) {
  const [first, ...others] = entries;
  const { provider, model_id, pricing, ...settings } = first!;
  return {
    name,
    default: isDefault,
    model_id,
    base_url: provider?.base_url ?? baseUrl,
    ...settings,
    ...(pricing === undefined ? {} : { pricing }),
    fallbacks: others.map((entry) => entry.model_id),
  };
}

async function listRemote(
  { json, baseUrl }: ListOptions,
  configuration: Configuration,
  context: CommandContext,
): Promise<void> {
  const { remoteModels } = await import('./remote-models.js');
  const variables = await context.variables();
  const options = modelOptions(configuration, context, variables);
  const key = variables.OPENAI_API_KEY;
  const candidate =
    baseUrl !== undefined || configuration.values.default?.model === undefined
      ? {
          modelId: '',
          baseUrl: baseUrl ?? configuration.values.base_url ?? defaultBaseUrl,
          entry: { model_id: '' },
        }
      : resolveModel({}, undefined, options).candidates[0]!;
  const asked = key === undefined || key === '' ? options : { ...options, override: { api_key: key } };
  const { ids, body } = await remoteModels(candidate, asked, context.signal);
  if (json === true) await context.output.writeJson(body);
  else await context.output.write(ids.map((id) => `${preview(id)}\n`).join(''));
}

/** What resolving and asking a model needs of the configuration. */
export function modelOptions(
  { values }: Configuration,
  { secrets }: CommandContext,
  variables: Readonly<Record<string, string | undefined>>,
): ModelServiceOptions {
  const { base_url, api_key, api_key_cmd, models, default: defaults } = values;
  return { base_url, api_key, api_key_cmd, models, defaults, variables, secrets };
}
