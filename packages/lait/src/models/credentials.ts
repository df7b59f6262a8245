import { LaitError } from '../errors/lait-error.js';
import type { ModelCandidate } from '../kinds/services.js';
import { expandVariables } from '../values/expand-variables.js';
import type { SecretRegistry } from '../values/secrets.js';
import { processKeyCommands } from './key-command.js';
import type { ModelServiceOptions } from './model-options.js';

/** What a request carries beside its body. */
export interface Credentials {
  /** With the key in the header where the server looks for it; names are in lower case. */
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** True when the top-level key was kept back because the alias points to another server. */
  keyWithheld: boolean;
}

/** Sent as bearer token when no key is configured: local servers want a header but not a real key. Facts §3. */
const dummyKey = 'no-key-configured';

/** Values that people write where a local server wants any key: hiding them would hide ordinary words. */
const placeholders: ReadonlySet<string> = new Set([
  dummyKey,
  'ollama',
  'lm-studio',
  'lmstudio',
  'dummy',
  'none',
  'empty',
  'not-needed',
  'no-key',
  'local',
]);

/**
 * The key, headers and query of a candidate, with `${VAR}` replaced and key commands run; every key is made known to
 * the secrets first. The top-level key is not sent to an alias at another origin than the top-level base URL.
 * Source: facts §3.
 */
export async function credentialsOf(
  candidate: ModelCandidate,
  baseUrl: string,
  options: ModelServiceOptions,
  signal: AbortSignal,
): Promise<Credentials> {
  const provider = candidate.entry.provider ?? {};
  const name = `model '${candidate.modelId}'`;
  const { key, withheld } = await keyOf(candidate, baseUrl, options, signal);
  const apiKey = checkedKey(key, name);
  addSecret(options.secrets, apiKey);
  const given = Object.entries(expandAll(provider.headers, `headers of ${name}`, options));
  const headers: Record<string, string> = {
    ...keyHeader(provider.api_key_header, apiKey),
    ...Object.fromEntries(given.map(([header, value]) => [header.toLowerCase(), value])),
  };
  for (const [header, value] of Object.entries(headers)) {
    if (/auth|key|token|secret|cookie/i.test(header))
      addSecret(options.secrets, value.replace(/^(bearer|basic) /i, ''));
  }
  const query = expandAll(provider.query, `query of ${name}`, options);
  for (const [parameter, value] of Object.entries(query)) {
    if (/key|token|secret|sig/i.test(parameter)) addSecret(options.secrets, value);
  }
  return { headers, query, keyWithheld: withheld };
}

/** A bearer token, unless the server wants the key in a header of its own, as Azure does. */
function keyHeader(name: string | undefined, key: string): Record<string, string> {
  return name === undefined ? { authorization: `Bearer ${key}` } : { [name.toLowerCase()]: key };
}

async function keyOf(
  { entry, modelId }: ModelCandidate,
  baseUrl: string,
  options: ModelServiceOptions,
  signal: AbortSignal,
): Promise<{ key: string; withheld: boolean }> {
  const { override, variables } = options;
  if (override?.api_key !== undefined) return { key: override.api_key, withheld: false };
  const own = entry.provider ?? {};
  const usesOwn = own.api_key !== undefined || own.api_key_cmd !== undefined;
  const { api_key, api_key_cmd } = usesOwn ? own : options;
  if (api_key === undefined && api_key_cmd === undefined) return { key: dummyKey, withheld: false };
  const mayUse = usesOwn ? mayUseOwnKey(own.base_url, baseUrl, options) : mayUseTopLevelKey(baseUrl, options);
  if (!mayUse) return { key: dummyKey, withheld: true };
  if (api_key_cmd !== undefined) {
    return { key: await processKeyCommands.key(api_key_cmd, variables, signal), withheld: false };
  }
  const field = usesOwn ? `api_key of model '${modelId}'` : 'api_key';
  return { key: expandVariables(api_key!, variables, field), withheld: false };
}

/** Nor does an alias's own key go along when the command line sends its requests to another server. */
function mayUseOwnKey(ownUrl: string | undefined, baseUrl: string, options: ModelServiceOptions): boolean {
  const home = ownUrl ?? options.base_url;
  if (options.override?.base_url === undefined || home === undefined) return true;
  const configured = expandVariables(home, options.variables, 'base_url');
  return URL.canParse(configured) && new URL(configured).origin === new URL(baseUrl).origin;
}

/** A key belongs to the server it was configured for: it is not handed to whoever an alias points to. */
function mayUseTopLevelKey(baseUrl: string, options: ModelServiceOptions): boolean {
  if (options.base_url === undefined) return true;
  const own = expandVariables(options.base_url, options.variables, 'base_url');
  return URL.canParse(own) && new URL(own).origin === new URL(baseUrl).origin;
}

function checkedKey(key: string, name: string): string {
  const trimmed = key.trim();
  if (trimmed === '') return dummyKey;
  // Whatever a header cannot carry would fail later in a message that shows the key.
  if (!/^[\x20-\x7e\x80-\xff]+$/.test(trimmed)) {
    throw new LaitError({
      code: 'api_key_invalid',
      category: 'definition',
      message: `the key of ${name} holds characters that a header cannot carry (a line break?)`,
    });
  }
  return trimmed;
}

function expandAll(
  values: Readonly<Record<string, string>> | undefined,
  field: string,
  options: ModelServiceOptions,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [
      key,
      expandVariables(value, options.variables, `${field}, ${key}`),
    ]),
  );
}

function addSecret(secrets: SecretRegistry, value: string): void {
  if (!placeholders.has(value.toLowerCase())) secrets.add(value);
}
