import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelCallOptions, ModelRequest, ToolDefinition } from '../../src/kinds/services.js';
import type { ModelServiceOptions } from '../../src/models/model-options.js';
import { createModelService } from '../../src/models/model-service.js';
import { ResponseCache } from '../../src/models/response-cache.js';
import type { ModelEntry, ModelSettings } from '../../src/plan/settings.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { json, says, startModelServer } from './model-server.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lait-recordings-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Asked {
  settings?: ModelSettings;
  entry?: Partial<ModelEntry>;
  entries?: ModelEntry[];
  request?: Partial<ModelRequest>;
  call?: Partial<ModelCallOptions>;
}

function ask(options: Partial<ModelServiceOptions>, baseUrl: string, asked: Asked = {}) {
  const models = createModelService({
    variables: { K: 'top-secret-key' },
    secrets: new SecretRegistry(),
    ...options,
  });
  const entries = asked.entries ?? [{ model_id: 'm', provider: { base_url: baseUrl }, ...asked.entry }];
  return models.request(
    {
      model: models.resolve({ model: 'main', ...asked.settings }, { main: entries }),
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: '質問 🦊' },
      ],
      ...asked.request,
    },
    { signal: new AbortController().signal, ...asked.call },
  );
}

const tool = (name: string): ToolDefinition => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
});
const deadUrl = 'http://127.0.0.1:1/v1';

describe('record and replay', () => {
  it('[models.replay-offline] replays what was recorded without any server', async () => {
    const reply = {
      content: '答え 🍵',
      reasoning: 'hm',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":"é"}' } }],
      usage: { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens: 2 },
    };
    const server = await startModelServer(says(reply));
    const live = await ask({ recordDirectory: join(directory, 'a/b') }, server.baseUrl);
    expect(await readdir(join(directory, 'a/b'))).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.json$/)]);
    const tokens: string[] = [];
    const replayed = await ask({ replayDirectory: join(directory, 'a/b') }, server.baseUrl, {
      call: { onToken: (piece) => tokens.push(piece) },
    });
    expect(replayed).toEqual({ ...live, source: 'replay' });
    expect(tokens).toEqual(['hm', '答え 🍵']);
    expect(server.requests).toHaveLength(1);
  });

  it('runs no key command and needs no key while replaying', async () => {
    const server = await startModelServer(says('ok'));
    const entry = (provider: ModelEntry['provider']) => ({
      entry: { provider: { base_url: server.baseUrl, ...provider } },
    });
    await ask({ recordDirectory: directory }, server.baseUrl, entry({ api_key: '${K}' }));
    const touched = join(directory, 'touched');
    for (const provider of [
      { api_key_cmd: `touch ${touched}; echo k` },
      { api_key: '${UNSET}' },
      { api_key: 'other' },
    ]) {
      expect((await ask({ replayDirectory: directory }, server.baseUrl, entry(provider))).content).toBe('ok');
    }
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('[models.recordings-without-secrets] holds neither key nor header, and no known secret', async () => {
    const server = await startModelServer(says('the key is top-secret-key'));
    const warnings: string[] = [];
    const provider = { base_url: server.baseUrl, api_key: '${K}', headers: { 'x-tenant': 'tenant-7' } };
    await ask({ recordDirectory: directory }, server.baseUrl, {
      entry: { provider },
      request: { messages: [{ role: 'user', content: 'is it top-secret-key?' }] },
      call: { onWarning: (warning) => warnings.push(warning) },
    });
    const [name] = await readdir(directory);
    const text = await readFile(join(directory, name!), 'utf8');
    expect(text).not.toMatch(/top-secret-key|tenant-7|authorization/i);
    expect(text).toContain('[REDACTED]');
    expect(warnings).toEqual([expect.stringContaining('masked in the recording')]);
  });

  it('does not depend on key order, fallback endpoints, headers or streaming', async () => {
    const server = await startModelServer(says('ok'));
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } };
    const reordered = { properties: { b: { type: 'number' }, a: { type: 'string' } }, type: 'object' };
    await ask({ recordDirectory: directory }, server.baseUrl, {
      request: { responseFormat: { name: 'n', schema } },
    });
    const replayed = await ask({ replayDirectory: directory }, server.baseUrl, {
      entries: [
        { model_id: 'm', provider: { base_url: server.baseUrl, headers: { a: 'b' } } },
        { model_id: 'fallback', provider: { base_url: deadUrl } },
      ],
      request: { responseFormat: { schema: reordered, name: 'n' } },
      call: { onToken: () => {} },
    });
    expect(replayed.content).toBe('ok');
  });

  const changes: [string, Asked & { baseUrl?: string }, string][] = [
    ['the model', { entry: { model_id: 'other' } }, 'model'],
    ['the temperature', { settings: { temperature: 0.9 } }, 'temperature'],
    ['the token limit', { settings: { max_tokens: 9 } }, 'max_tokens'],
    ['the effort', { settings: { reasoning_effort: 'low' } }, 'reasoning_effort'],
    [
      'the system prompt',
      {
        request: {
          messages: [
            { role: 'system', content: 'be rude' },
            { role: 'user', content: '質問 🦊' },
          ],
        },
      },
      'messages[0].content',
    ],
    [
      'the message',
      {
        request: {
          messages: [
            { role: 'system', content: 'be kind' },
            { role: 'user', content: '質問' },
          ],
        },
      },
      'messages[1].content',
    ],
    ['the order of tools', { request: { tools: [tool('b'), tool('a')] } }, 'tools[0]'],
    [
      'the schema',
      { request: { tools: [tool('a'), tool('b')], responseFormat: { name: 'n', schema: {} } } },
      'response_format.schema',
    ],
    ['the server', { entry: { provider: { base_url: deadUrl } } }, 'base_url'],
  ];
  it.each(changes)(
    '[models.misses-explained] misses when %s changes, and says so',
    async (_, changed, part) => {
      const server = await startModelServer(says('ok'));
      const tools = changed.request?.tools === undefined ? {} : { tools: [tool('a'), tool('b')] };
      await ask({ recordDirectory: directory }, server.baseUrl, { request: tools });
      const missed = await ask({ replayDirectory: directory }, server.baseUrl, changed).catch(
        (error) => error,
      );
      expect(missed).toMatchObject({ code: 'replay_miss' });
      expect(missed.details.differs).toContain(part);
      expect(missed.message).toContain(part);
      expect(missed.message).toContain(`--record ${directory}`);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('explains misses in empty and missing directories, and ignores other files', async () => {
    await writeFile(join(directory, 'keep.txt'), 'k');
    await expect(ask({ replayDirectory: directory }, deadUrl)).rejects.toThrow(/holds no recordings/);
    await expect(ask({ replayDirectory: join(directory, 'none') }, deadUrl)).rejects.toThrow(
      /does not exist/,
    );
  });

  it('names a recording that is broken', async () => {
    const server = await startModelServer(says('ok'));
    await ask({ recordDirectory: directory }, server.baseUrl);
    const [name] = await readdir(directory);
    for (const broken of [
      '{',
      '[]',
      '{"format":1}',
      '{"format":2,"reply":{"content":"ok"}}',
      '{"reply":{"content":5}}',
      '{"reply":{"tool_calls":[{}]}}',
    ]) {
      await writeFile(join(directory, name!), broken);
      await expect(ask({ replayDirectory: directory }, server.baseUrl)).rejects.toMatchObject({
        code: 'recording_unreadable',
        message: expect.stringContaining(name!),
      });
    }
  });

  it('records nothing of a failed request', async () => {
    const server = await startModelServer(json({ error: { message: 'no' } }, 400));
    await expect(ask({ recordDirectory: directory }, server.baseUrl)).rejects.toThrow();
    expect(await readdir(directory)).toEqual([]);
  });

  it('keeps images as digests', async () => {
    const image = (bytes: string) => ({
      messages: [
        {
          role: 'user' as const,
          content: [{ type: 'image_url' as const, image_url: { url: `data:image/png;base64,${bytes}` } }],
        },
      ],
    });
    const server = await startModelServer(says('a cat'));
    await ask({ recordDirectory: directory }, server.baseUrl, { request: image('QUJD'.repeat(1000)) });
    const [name] = await readdir(directory);
    expect((await readFile(join(directory, name!), 'utf8')).length).toBeLessThan(2000);
    const replay = (bytes: string) =>
      ask({ replayDirectory: directory }, server.baseUrl, { request: image(bytes) });
    expect((await replay('QUJD'.repeat(1000))).content).toBe('a cat');
    await expect(replay('QUJE')).rejects.toMatchObject({ code: 'replay_miss' });
  });

  it('excludes recording and replaying at once', () => {
    expect(() =>
      createModelService({
        variables: {},
        secrets: new SecretRegistry(),
        recordDirectory: 'a',
        replayDirectory: 'b',
      }),
    ).toThrow(/exclude/);
  });
});

describe('the response cache', () => {
  const cached = (baseUrl: string, asked: Asked = {}, ttlSeconds?: number) => {
    const reasons: string[] = [];
    const call = { onExplain: (reason: string) => reasons.push(reason), ...asked.call };
    return ask({ cache: { directory, ttlSeconds } }, baseUrl, { ...asked, call }).then((reply) => ({
      reply,
      reason: reasons[0],
    }));
  };

  it('[models.cache-explained] answers equal requests from disk and says why', async () => {
    const server = await startModelServer(says('一'), says('二'));
    const first = await cached(server.baseUrl);
    expect(first).toMatchObject({ reply: { source: 'live' }, reason: 'cache miss: no entries yet' });
    const second = await cached(server.baseUrl);
    expect(second).toMatchObject({
      reply: { content: '一', source: 'cache' },
      reason: expect.stringMatching(/^cache hit/),
    });
    const third = await cached(server.baseUrl, { settings: { temperature: 0.3 } });
    expect(third).toMatchObject({
      reply: { content: '二', source: 'live' },
      reason: 'cache miss: the nearest entry differs in temperature',
    });
  });

  it('forgets entries that are older than the limit', async () => {
    const server = await startModelServer(says('old'), says('new'));
    await cached(server.baseUrl);
    const [name] = await readdir(directory);
    const entry = JSON.parse(await readFile(join(directory, name!), 'utf8'));
    await writeFile(join(directory, name!), JSON.stringify({ ...entry, created_at: Date.now() - 61_000 }));
    const again = await cached(server.baseUrl, {}, 60);
    expect(again).toMatchObject({
      reply: { content: 'new' },
      reason: expect.stringContaining('cache_ttl is 60 s'),
    });
    expect((await cached(server.baseUrl, {}, 60)).reply.source).toBe('cache');
  });

  it('never keeps errors or secrets, and survives broken entries', async () => {
    const server = await startModelServer(
      json({ error: { message: 'no' } }, 400),
      says('top-secret-key'),
      says('fine'),
      says('again'),
    );
    await expect(cached(server.baseUrl)).rejects.toThrow();
    expect(await readdir(directory)).toEqual([]);
    const entry = { provider: { base_url: server.baseUrl, api_key: '${K}' } };
    expect((await cached(server.baseUrl, { entry })).reply.content).toBe('top-secret-key');
    expect(await readdir(directory)).toEqual([]);
    await cached(server.baseUrl);
    const [name] = await readdir(directory);
    await writeFile(join(directory, name!), 'broken');
    expect((await cached(server.baseUrl)).reply.content).toBe('again');
  });

  it('can be cleared', async () => {
    const server = await startModelServer(says('a'));
    await cached(server.baseUrl);
    await writeFile(join(directory, 'other.txt'), '');
    expect(await new ResponseCache({ directory }).clear()).toBe(1);
    expect(await readdir(directory)).toEqual(['other.txt']);
  });
});
