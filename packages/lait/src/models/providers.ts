import type { ModelEntry } from '../plan/settings.js';

/** What an entry does not say although its provider needs it. */
export interface Lack {
  message: string;
  /** What to write. */
  hint: string;
}

export interface Provider {
  name: string;
  /** What is missing in an entry that points there. */
  lacks(entry: ModelEntry, baseUrl: URL): readonly Lack[];
  /** It answers nobody without a key. */
  needsKey?: true;
  /** Where its models are listed; default `BASE/models`. */
  modelsUrl?(baseUrl: URL): URL;
  /** Whether the list holds ids that requests do not use. */
  listsOtherIds?: true;
}

interface Recognition extends Provider {
  host?: RegExp;
  path?: RegExp;
  /** The ports that a local server listens on by default. */
  ports?: readonly string[];
  /** `owned_by` of the models it lists. */
  owner?: RegExp;
}

const nothing = () => [];

const schemaInPrompt: Lack = {
  message: 'the interface ignores response_format: output_schema would go unheard',
  hint: 'set structured_output: prompt in the entry',
};

/** What is known about servers that people use. Source: their documentation; see docs/providers.md. */
const providers: readonly Recognition[] = [
  { name: 'OpenAI', host: /(^|\.)api\.openai\.com$/, needsKey: true, lacks: nothing },
  {
    name: 'Azure OpenAI',
    host: /\.(openai|services\.ai|cognitiveservices)\.azure\.(com|us|cn)$/,
    needsKey: true,
    lacks: azureLacks,
    modelsUrl: (baseUrl) =>
      new URL(baseUrl.href.replace(/\/deployments\/[^/]+\/?$/, '').replace(/\/?$/, '/models')),
    // It lists the models that could be deployed; requests name a deployment.
    listsOtherIds: true,
  },
  {
    name: 'Anthropic',
    host: /(^|\.)api\.anthropic\.com$/,
    needsKey: true,
    lacks: ({ structured_output = 'json_schema' }) =>
      structured_output === 'json_schema' ? [schemaInPrompt] : [],
  },
  {
    name: 'Gemini',
    host: /(^|\.)generativelanguage\.googleapis\.com$/,
    needsKey: true,
    lacks: (_, { pathname }) =>
      /\/openai\/?$/.test(pathname)
        ? []
        : [
            {
              message: 'base_url is not the OpenAI-compatible interface',
              hint: 'let it end in /v1beta/openai',
            },
          ],
  },
  { name: 'OpenRouter', host: /(^|\.)openrouter\.ai$/, needsKey: true, lacks: nothing },
  { name: 'Ollama', ports: ['11434'], owner: /^library$/, lacks: nothing },
  { name: 'LM Studio', ports: ['1234'], owner: /^organization_owner$/, lacks: nothing },
  { name: 'llama.cpp', owner: /^llamacpp$/, lacks: nothing },
  { name: 'vLLM', owner: /^vllm$/, lacks: nothing },
];

/**
 * The provider behind a base URL, as far as it can be known: by its host, by who owns the models that it lists, by the
 * port that a local server takes when it is not told another; undefined for any other server.
 */
export function providerOf(baseUrl: string, owners: readonly string[] = []): Provider | undefined {
  const { hostname, port } = new URL(baseUrl);
  return (
    providers.find(({ host }) => host?.test(hostname)) ??
    providers.find(({ owner }) => owner !== undefined && owners.some((name) => owner.test(name))) ??
    providers.find(({ ports }) => isLocal(hostname) && ports?.includes(port))
  );
}

function azureLacks(entry: ModelEntry, { pathname }: URL): readonly Lack[] {
  const { api_key_header = '', query = {}, headers = {} } = entry.provider ?? {};
  const named = new Set([api_key_header, ...Object.keys(headers)].map((name) => name.toLowerCase()));
  const lacks: Lack[] = [];
  if (/\/deployments\//.test(pathname) && !Object.hasOwn(query, 'api-version')) {
    lacks.push({
      message: 'a deployment is called with an API version',
      hint: 'set provider.query: { api-version: "2024-10-21" }',
    });
  }
  if (!named.has('api-key') && !named.has('authorization')) {
    lacks.push({
      message: 'the key goes out as a bearer token, which is for Entra ID',
      hint: 'set provider.api_key_header: api-key',
    });
  }
  if (!/\/deployments\/[^/]+\/?$|\/openai\/v1\/?$/.test(pathname)) {
    lacks.push({
      message: 'base_url names no deployment',
      hint: 'let it end in /openai/deployments/NAME or in /openai/v1',
    });
  }
  return lacks;
}

/** Whether an entry has a key of its own, wherever it stands. */
export function hasKey({ provider = {} }: ModelEntry): boolean {
  const { api_key, api_key_cmd, headers = {} } = provider;
  return (
    api_key !== undefined ||
    api_key_cmd !== undefined ||
    Object.keys(headers).some((name) => /^(authorization|api-key|x-api-key|x-goog-api-key)$/i.test(name))
  );
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}
