import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/engine/events.js';
import { createModelService } from '../../src/models/model-service.js';
import { providerOf } from '../../src/models/providers.js';
import { RateLimits } from '../../src/models/rate-limits.js';
import type { ModelEntry, ModelSettings } from '../../src/plan/settings.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';
import { run, text } from '../kinds/model-plan.js';
import { type Answer, json, startModelServer, streams } from './model-server.js';

/** What a provider documents about its OpenAI-compatible interface, as data: requests it needs, replies it sends. */
interface WireFormat {
  provider: string | null;
  base_path: string;
  owned_by?: string;
  entry: ModelEntry;
  exchanges: Exchange[];
}

interface Exchange {
  name: string;
  settings?: ModelSettings;
  schema?: JsonObject;
  stream?: true;
  tool?: true;
  /** How often the request is sent when the server fails. Default 1. */
  attempts?: number;
  request: {
    path?: string;
    headers?: Record<string, string>;
    withoutHeaders?: string[];
    body?: JsonObject;
    /** Keys that the body must not have. */
    without?: string[];
    /** What stands somewhere in the messages. */
    says?: string;
  };
  response: Response;
  /** The second reply, where the first one does not fit. */
  repair?: Response;
  value?: JsonValue;
  reasoning?: string;
  usage?: JsonObject[];
  toolCalls?: JsonObject[];
  error?: { code: string; message: string; without?: string };
}

interface Response {
  status?: number;
  headers?: Record<string, string>;
  body?: JsonValue;
  events?: (JsonObject | string)[];
}

const directory = join(import.meta.dirname, 'wire-formats');
const formats = readdirSync(directory).map(
  (name) => [name, JSON.parse(readFileSync(join(directory, name), 'utf8')) as WireFormat] as const,
);

function answerOf({ status = 200, headers = {}, body, events }: Response): Answer {
  return events === undefined ? json(body, status, headers) : streams(...events);
}

const weather = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

describe.each(formats)('%s', (_, { base_path, entry, exchanges }) => {
  it.each(exchanges)('[providers.wire-formats] $name', async (exchange) => {
    const { response, repair, request, error, schema, settings = {} } = exchange;
    const server = await startModelServer(answerOf(response), answerOf(repair ?? response));
    const origin = new URL(server.baseUrl).origin;
    const models = {
      models: { main: [{ ...entry, provider: { ...entry.provider, base_url: `${origin}${base_path}` } }] },
      streaming: exchange.stream === true,
    };
    if (exchange.tool === true) {
      const service = createModelService({ ...models, variables: {}, secrets: new SecretRegistry() });
      const reply = await service.request(
        {
          model: service.resolve({ model: 'main' }),
          messages: [{ role: 'user', content: 'How is it there?' }],
          tools: [weather],
        },
        { signal: new AbortController().signal, onToken: () => {} },
      );
      expect(reply.toolCalls.map((call) => call.function)).toMatchObject(exchange.toolCalls!);
      expect(reply.usage).toEqual(exchange.usage![0]);
    } else {
      const step = {
        kind: 'prompt',
        fields: {
          prompt: text('Which city?'),
          model: 'main',
          ...settings,
          ...(schema === undefined ? {} : { output_schema: { body: schema }, schema_name: 'city' }),
        },
      };
      const ran = await run([step], {
        models: {
          ...models,
          rateLimits: new RateLimits({ now: () => Date.now(), sleep: async () => {} }),
        },
      });
      if (error !== undefined) {
        expect(ran.error.code).toBe(error.code);
        const said = JSON.stringify([String(ran.error.cause), ran.error.details]);
        expect(said).toContain(error.message.replaceAll('"', '\\"'));
        if (error.without !== undefined) expect(said).not.toContain(error.without);
        expect(server.requests).toHaveLength(exchange.attempts ?? 1);
      } else {
        expect(ran.value).toEqual(exchange.value);
        const replies = ran.events.filter(isReply);
        expect(replies.map(({ usage }) => usage)).toEqual(exchange.usage);
        if (exchange.reasoning !== undefined) expect(replies[0]!.reply.reasoning).toBe(exchange.reasoning);
      }
    }
    const [seen] = server.requests;
    if (request.path !== undefined) expect(seen!.path).toBe(request.path);
    expect(seen!.headers).toMatchObject(request.headers ?? {});
    expect(seen!.body).toMatchObject(request.body ?? {});
    for (const key of request.without ?? []) expect(Object.keys(seen!.body)).not.toContain(key);
    for (const name of request.withoutHeaders ?? []) expect(Object.keys(seen!.headers)).not.toContain(name);
    if (request.says !== undefined)
      expect(JSON.stringify(seen!.body.messages)).toContain(JSON.stringify(request.says).slice(1, -1));
  });
});

function isReply(event: RunEvent): event is RunEvent & { type: 'model.responded' } {
  return event.type === 'model.responded';
}

it('[providers.named] a server is known by its host, by who owns its models, or by its usual port', () => {
  const hosts = {
    'https://api.openai.com/v1': 'OpenAI',
    'https://team.openai.azure.com/openai/deployments/x': 'Azure OpenAI',
    'https://api.anthropic.com/v1/': 'Anthropic',
    'https://generativelanguage.googleapis.com/v1beta/openai/': 'Gemini',
    'https://openrouter.ai/api/v1': 'OpenRouter',
    'http://localhost:11434/v1': 'Ollama',
    'http://127.0.0.1:1234/v1': 'LM Studio',
    'https://api.openai.com.example.net/v1': undefined,
    'https://example.com:11434/v1': undefined,
  };
  for (const [url, name] of Object.entries(hosts)) expect([url, providerOf(url)?.name]).toEqual([url, name]);
  for (const [, { provider, owned_by }] of formats) {
    if (owned_by !== undefined) expect(providerOf('http://gpu.lan/v1', [owned_by])?.name).toBe(provider);
  }
});
