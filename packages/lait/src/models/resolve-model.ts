import { DefinitionError } from '../errors/errors.js';
import type { ModelCandidate, ResolvedModel } from '../kinds/services.js';
import type { ModelEntry, ModelSettings } from '../plan/settings.js';
import { expandVariables } from '../values/expand-variables.js';
import { defaultBaseUrl, type ModelServiceOptions } from './model-options.js';

type Aliases = Readonly<Record<string, readonly ModelEntry[]>>;

/**
 * Finds the endpoints that may answer for `settings.model`: an alias of the workflow, an alias of the configuration,
 * else a raw model id at the configured base URL. Sampling defaults of the alias's first entry come after all other
 * settings. Touches neither the network nor a key command. Throws a `DefinitionError` with code `model_unresolved` or
 * `model_entry_invalid`, or `variable_unset`. Source: facts §4 and §5.
 */
export function resolveModel(
  settings: ModelSettings,
  aliases: Aliases | undefined,
  options: ModelServiceOptions,
): ResolvedModel {
  const name = settings.model ?? options.defaults?.model;
  if (name === undefined || name.trim() === '') {
    throw invalid(
      'model_unresolved',
      'no model is set: name one with `model:` in the step, or with `default.model` in the workflow or in lait.config.yml',
    );
  }
  const entries = findAlias(name, aliases) ?? findAlias(name, options.models) ?? [{ model_id: name }];
  const first = entries[0];
  if (first === undefined) throw invalid('model_entry_invalid', `model '${name}' has no entries`);
  const pinned = options.override?.base_url !== undefined || options.override?.api_key !== undefined;
  const candidates = (pinned ? [first] : entries).map((entry) => candidateOf(entry, name, options));
  return {
    name,
    candidates: [
      { ...candidates[0]!, baseUrl: reachableUrl(candidates[0]!, options) },
      ...candidates.slice(1),
    ],
    ...sampling(settings, first),
  };
}

/** The base URL of a candidate with `${VAR}` replaced: only done for the ones that are really asked. */
export function reachableUrl(candidate: ModelCandidate, options: ModelServiceOptions): string {
  const field = `base_url of model '${candidate.modelId}'`;
  const url = expandVariables(candidate.baseUrl, options.variables, field);
  if (!/^\s*https?:/i.test(url) || !URL.canParse(url)) {
    throw invalid('model_entry_invalid', `${field}: '${url}' is not an http(s) URL`);
  }
  return url;
}

function findAlias(name: string, aliases: Aliases | undefined): readonly ModelEntry[] | undefined {
  return aliases !== undefined && Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

function candidateOf(entry: ModelEntry, name: string, options: ModelServiceOptions): ModelCandidate {
  if (entry.provider?.api_key !== undefined && entry.provider.api_key_cmd !== undefined) {
    throw invalid(
      'model_entry_invalid',
      `model '${name}' has both api_key and api_key_cmd: keep one of them`,
    );
  }
  return {
    modelId: entry.model_id,
    baseUrl: options.override?.base_url ?? entry.provider?.base_url ?? options.base_url ?? defaultBaseUrl,
    entry,
  };
}

function sampling(settings: ModelSettings, first: ModelEntry): Omit<ResolvedModel, 'name' | 'candidates'> {
  return {
    reasoning_effort: settings.reasoning_effort ?? (first.default_reasoning_effort as string | undefined),
    temperature: settings.temperature ?? (first.default_temperature as number | undefined),
    top_p: settings.top_p ?? (first.default_top_p as number | undefined),
    max_tokens: settings.max_tokens ?? (first.default_max_tokens as number | undefined),
  };
}

function invalid(code: string, message: string): DefinitionError {
  return new DefinitionError({ code, message, diagnostics: [{ code, severity: 'error', message }] });
}
