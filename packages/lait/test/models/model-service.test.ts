import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../src/plan/settings.js';
import { aliasOf, ask, deadUrl, service } from './ask.js';
import { json, says, startModelServer } from './model-server.js';

describe('the request on the wire', () => {
  it('[models.request-shape] holds only what is set, and the schema unchanged', async () => {
    const server = await startModelServer(says('ok'));
    const schema = { type: 'object', $defs: { x: {} }, properties: { a: { pattern: '^é🦊$' } } };
    await ask(
      { models: aliasOf(server) },
      {
        settings: { temperature: 0, top_p: 1, max_tokens: 7, reasoning_effort: 'low' },
        tools: [],
        responseFormat: { name: 'n', schema },
      },
    );
    expect(server.requests[0]!.path).toBe('/v1/chat/completions');
    expect(server.requests[0]!.body).toEqual({
      model: 'model-1',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
      temperature: 0,
      top_p: 1,
      max_completion_tokens: 7,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } },
    });
  });

  it('[models.text-untouched] is minimal without settings, and text of any language passes unchanged', async () => {
    const said = 'こんにちは 👩‍👩‍👧 {{ input }} \u0000 ';
    const server = await startModelServer(says(said));
    const reply = await ask({ models: aliasOf(server) }, { messages: [{ role: 'user', content: said }] });
    expect(server.requests[0]!.body).toEqual({
      model: 'model-1',
      messages: [{ role: 'user', content: said }],
      stream: false,
    });
    expect(reply.content).toBe(said);
    expect(reply).toMatchObject({ model: 'answering-model', source: 'live', toolCalls: [], usage: null });
  });

  it('carries the key, headers and query of the provider', async () => {
    const server = await startModelServer(says('ok'));
    const provider = {
      base_url: '${BASE}',
      api_key: 'pre-${KEY}',
      headers: { 'x-team': '${TEAM}' },
      query: { 'api-version': '1' },
    };
    await ask({
      models: { main: [{ model_id: 'm', provider }] },
      variables: { BASE: server.baseUrl, KEY: 'k', TEAM: 'red' },
    });
    expect(server.requests[0]!.headers).toMatchObject({ authorization: 'Bearer pre-k', 'x-team': 'red' });
    expect(server.requests[0]!.path).toBe('/v1/chat/completions?api-version=1');
  });

  it('sends a dummy bearer token without a key', async () => {
    const server = await startModelServer(says('ok'));
    await ask({ models: aliasOf(server) });
    expect(server.requests[0]!.headers.authorization).toMatch(/^Bearer \S+$/);
  });

  it('[models.keys-stay-home] sends the top-level key to its own server only', async () => {
    const own = await startModelServer(says('ok'));
    const other = await startModelServer(json({ error: { message: 'who are you' } }, 401));
    const options = { base_url: own.baseUrl, api_key: 'top-level-key', models: aliasOf(other) };
    await ask(options, { settings: { model: 'raw/id:7b' } });
    expect(own.requests[0]!.headers.authorization).toBe('Bearer top-level-key');
    expect(own.requests[0]!.body.model).toBe('raw/id:7b');
    await expect(ask(options)).rejects.toThrow(/who are you; the top-level api_key is only sent to/);
    expect(other.requests[0]!.headers.authorization).not.toContain('top-level-key');
  });

  it('uses the top-level key for aliases when no top-level base URL says whose it is', async () => {
    const server = await startModelServer(says('ok'));
    await ask({ api_key: 'top-level-key', models: aliasOf(server) });
    expect(server.requests[0]!.headers.authorization).toBe('Bearer top-level-key');
  });

  it('goes to one endpoint when the command line names one', async () => {
    const server = await startModelServer(json({}, 503));
    const other = await startModelServer(says('never'));
    const options = {
      override: { base_url: server.baseUrl, api_key: 'cli' },
      models: aliasOf(deadUrl, other),
    };
    await expect(ask(options)).rejects.toMatchObject({ code: 'model_server_error' });
    expect(server.requests[0]!.headers.authorization).toBe('Bearer cli');
    expect(other.requests).toHaveLength(0);
  });
});

describe('resolution', () => {
  const models = service({
    models: { main: [{ model_id: 'a', default_temperature: 0.5 }, { model_id: 'b' }] },
  });

  it('prefers settings to the alias, the workflow to the configuration', () => {
    expect(models.resolve({ model: 'main' })).toMatchObject({ name: 'main', temperature: 0.5 });
    expect(models.resolve({ model: 'main', temperature: 0 }).temperature).toBe(0);
    const own = { main: [{ model_id: 'own' }] };
    expect(models.resolve({ model: 'main' }, own).candidates.map((candidate) => candidate.modelId)).toEqual([
      'own',
    ]);
    expect(models.resolve({ model: 'main' }).candidates.map((candidate) => candidate.modelId)).toEqual([
      'a',
      'b',
    ]);
  });

  it('takes every other name as a model id, whatever it looks like', () => {
    for (const name of ['constructor', '__proto__', 'org/model:7b']) {
      expect(models.resolve({ model: name }).candidates).toMatchObject([
        { modelId: name, baseUrl: 'http://localhost:1234/v1' },
      ]);
    }
  });

  it('says what to do when no model is named anywhere', () => {
    expect(() => models.resolve({})).toThrow(/no model is set.*default\.model/);
    expect(() => models.resolve({})).toThrow(
      expect.objectContaining({ code: 'model_unresolved', category: 'definition' }),
    );
    expect(service({ defaults: { model: 'd' } }).resolve({}).name).toBe('d');
  });

  it('expands only variables that are used, and names unset ones', () => {
    const aliases = {
      one: [{ model_id: 'm', provider: { base_url: 'http://${HOST}/v1' } }],
      two: [
        { model_id: 'm', provider: { base_url: 'http://127.0.0.1/v1', api_key: '${UNSET}' } },
        { model_id: 'n', provider: { base_url: '${UNSET}' } },
      ],
    };
    expect(() => models.resolve({ model: 'one' }, aliases)).toThrow(/HOST is not set/);
    expect(models.resolve({ model: 'two' }, aliases).candidates).toHaveLength(2);
  });

  it('refuses two keys, and URLs that are none', () => {
    const entry = (provider: ModelEntry['provider']) => ({ x: [{ model_id: 'm', provider }] });
    expect(() => models.resolve({ model: 'x' }, entry({ api_key: 'a', api_key_cmd: 'echo' }))).toThrow(
      /both api_key and api_key_cmd/,
    );
    expect(() => models.resolve({ model: 'x' }, entry({ base_url: 'localhost:1234' }))).toThrow(
      /not an http\(s\) URL/,
    );
  });
});
