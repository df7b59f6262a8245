import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelCallOptions, ModelRequest } from '../../src/kinds/services.js';
import type { ModelServiceOptions } from '../../src/models/model-options.js';
import { createModelService } from '../../src/models/model-service.js';
import { RateLimits } from '../../src/models/rate-limits.js';
import type { ModelEntry, ModelSettings } from '../../src/plan/settings.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import {
  breaksAfter,
  delta,
  json,
  type ModelServer,
  says,
  startModelServer,
  streams,
  text,
} from './model-server.js';

/** Waiting costs no time: what is waited for is written down. */
function instantClock(waits: number[] = []) {
  let now = 1_000_000;
  return {
    waits,
    limits: new RateLimits({
      now: () => now,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        now += milliseconds;
      },
    }),
  };
}

function service(options: Partial<ModelServiceOptions> = {}) {
  return createModelService({
    variables: {},
    secrets: new SecretRegistry(),
    rateLimits: instantClock().limits,
    ...options,
  });
}

function aliasOf(...servers: (ModelServer | string)[]): Record<string, ModelEntry[]> {
  return {
    main: servers.map((server, index) => ({
      model_id: `model-${index + 1}`,
      provider: { base_url: typeof server === 'string' ? server : server.baseUrl },
    })),
  };
}

async function ask(
  options: Partial<ModelServiceOptions>,
  request: Partial<ModelRequest> & { settings?: ModelSettings } = {},
  call: Partial<ModelCallOptions> = {},
) {
  const { settings, ...rest } = request;
  const models = service(options);
  return models.request(
    {
      model: models.resolve({ model: 'main', ...settings }),
      messages: [{ role: 'user', content: 'hi' }],
      ...rest,
    },
    { signal: new AbortController().signal, ...call },
  );
}

/** A port on which nothing listens. */
async function deadPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}
const deadUrl = await deadPort();

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

describe('replies that are no answer', () => {
  it.each([
    ['empty content', says(''), 'model_reply_empty'],
    ['white space', says(' \n'), 'model_reply_empty'],
    ['reasoning alone', says({ reasoning: 'hm' }), 'model_reply_empty'],
    ['no choices', json({ choices: [] }), 'model_reply_empty'],
    ['an empty body', text('', 200, 'application/json'), 'model_reply_empty'],
    ['a cut-off text', says({ content: 'half an ans', finish_reason: 'length' }), 'model_reply_truncated'],
    ['a filtered text', says({ content: 'x', finish_reason: 'content_filter' }), 'model_reply_filtered'],
    ['a refusal', says({ refusal: 'I will not' }), 'model_reply_refused'],
    ['a page', text('<!DOCTYPE html><html><title>Login</title>'), 'model_reply_html'],
    ['a page called JSON', text('<html></html>', 200, 'application/json'), 'model_reply_html'],
    ['plain text', text('OK', 200, 'text/plain'), 'model_reply_not_json'],
    ['other JSON', json({ hello: 1 }), 'model_reply_malformed'],
    ['a choice without message', json({ choices: [null] }), 'model_reply_malformed'],
    ['JSON null', json(null), 'model_reply_malformed'],
    ['400', json({ error: { message: 'wrong shape' } }, 400), 'model_request_refused'],
    ['401', json({ detail: 'no such key' }, 401), 'model_authentication_failed'],
    ['404', json({ error: 'model not pulled' }, 404), 'model_not_found'],
  ])('%s', async (_, answer, code) => {
    const server = await startModelServer(answer);
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code, category: 'model' });
    expect(server.requests).toHaveLength(1);
  });

  it('half a JSON text is asked for again, then it is an error', async () => {
    const server = await startModelServer(text('{"choices": [{"mess', 200, 'application/json'));
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_reply_incomplete' });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('a connection that closes in the middle of the body', async () => {
    const broken = breaksAfter('{"choices', { 'content-type': 'application/json', 'content-length': '500' });
    const server = await startModelServer(broken, says('second try'), broken);
    expect((await ask({ models: aliasOf(server) })).content).toBe('second try');
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_reply_incomplete' });
  });

  it('a reply with endless headers is asked for once', async () => {
    const server = await startModelServer((response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`);
    });
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({
      code: 'model_reply_too_large',
      disposition: 'terminal',
      message: expect.stringContaining('16 kB of headers'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('a connection that closes before any answer', async () => {
    const server = await startModelServer((response) => {
      response.socket?.destroy();
    });
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_connection_closed' });
  });

  it('a reply without end is not read to its end', async () => {
    const server = await startModelServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(1024 * 1024, ' ');
      const more = () => {
        while (response.writable && response.write(piece));
        if (response.writable) response.once('drain', more);
      };
      more();
    });
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_reply_too_large' });
  });

  it('nothing listens', async () => {
    await expect(ask({ models: aliasOf(deadUrl) })).rejects.toMatchObject({
      code: 'model_unreachable',
      category: 'model',
      message: expect.stringContaining('connection refused'),
    });
    await expect(ask({ models: aliasOf('http://127.0.0.1:1/v1') })).rejects.toMatchObject({
      code: 'model_unreachable',
    });
  });

  it('a server that never answers ends at the limit, with a timeout', async () => {
    const server = await startModelServer(() => {});
    await expect(ask({ models: aliasOf(server), requestTimeoutSeconds: 0.05 })).rejects.toMatchObject({
      code: 'model_timeout',
      category: 'timeout',
    });
    const stuck = await startModelServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    await expect(ask({ models: aliasOf(stuck), requestTimeoutSeconds: 0.05 })).rejects.toMatchObject({
      code: 'model_timeout',
    });
  });

  it("[models.errors-keep-text] keeps the model's text and the server's words, but never the key", async () => {
    const server = await startModelServer(
      says({
        content: '途中まで',
        finish_reason: 'length',
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
      json({ error: { message: 'bad field' }, extra: 1 }, 422),
    );
    const models = {
      main: [{ model_id: 'm', provider: { base_url: server.baseUrl, api_key: 'very-secret-key' } }],
    };
    const truncated = await ask({ models }).catch((error) => error);
    expect(truncated.details).toMatchObject({ text: '途中まで', usage: { inputTokens: 3, outputTokens: 2 } });
    const refused = await ask({ models }).catch((error) => error);
    expect(refused.message).toContain('bad field');
    expect(refused.details).toMatchObject({ status: 422, text: expect.stringContaining('extra') });
    for (const error of [truncated, refused]) {
      expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain(
        'very-secret-key',
      );
    }
  });

  it('a cancelled request ends at once with the reason of the cancel', async () => {
    const controller = new AbortController();
    const server = await startModelServer(() => controller.abort(new Error('enough')));
    await expect(ask({ models: aliasOf(server) }, {}, { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
  });
});

describe('replies of many shapes', () => {
  it('reads text parts, reasoning, and tool calls without ids or with objects as arguments', async () => {
    const server = await startModelServer(
      says({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        reasoning: 'because',
      }),
      says({
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { type: 'function', function: { name: 'g', arguments: { b: 2 } } },
        ],
      }),
    );
    expect(await ask({ models: aliasOf(server) })).toMatchObject({ content: 'ab', reasoning: 'because' });
    expect((await ask({ models: aliasOf(server) })).toolCalls).toEqual([
      { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'call_1', type: 'function', function: { name: 'g', arguments: '{"b":2}' } },
    ]);
  });

  it('speaks the responses interface', async () => {
    const answer = json({
      model: 'r',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'why' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'なるほど' }] },
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    });
    const server = await startModelServer(answer);
    const models = { main: [{ model_id: 'r', api: 'responses', provider: { base_url: server.baseUrl } }] };
    const reply = await ask(
      { models },
      { settings: { max_tokens: 9, reasoning_effort: 'high' }, responseFormat: { name: 'n', schema: {} } },
    );
    expect(server.requests[0]).toMatchObject({
      path: '/v1/responses',
      body: {
        model: 'r',
        input: [{ role: 'user', content: 'hi' }],
        max_output_tokens: 9,
        reasoning: { effort: 'high' },
        text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      },
    });
    expect(reply).toMatchObject({
      content: 'なるほど',
      reasoning: 'why',
      usage: { inputTokens: 6, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 },
    });
    const tools = [{ type: 'function' as const, function: { name: 't', parameters: {} } }];
    await expect(ask({ models }, { tools })).rejects.toMatchObject({ code: 'model_api_unsupported' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('fallback and repetition', () => {
  it('[models.fallback] moves on when a server cannot be reached, and says so', async () => {
    const second = await startModelServer(says('from second'));
    const warnings: string[] = [];
    const reply = await ask(
      { models: aliasOf(deadUrl, second) },
      {},
      { onWarning: (warning) => warnings.push(warning) },
    );
    expect(reply.content).toBe('from second');
    expect(second.requests[0]!.body.model).toBe('model-2');
    expect(warnings).toEqual([expect.stringMatching(/'model-1' failed.*asking 'model-2' instead/)]);
  });

  it.each([500, 503, 429, 408])('moves on after %i', async (status) => {
    const first = await startModelServer(json({ error: { message: 'no' } }, status));
    const second = await startModelServer(says('ok'));
    expect((await ask({ models: aliasOf(first, second) })).content).toBe('ok');
    expect(first.requests.length).toBeGreaterThan(0);
  });

  it.each([400, 401, 404, 422])('does not move on after %i', async (status) => {
    const first = await startModelServer(json({ error: { message: 'no' } }, status));
    const second = await startModelServer(says('never'));
    await expect(ask({ models: aliasOf(first, second) })).rejects.toMatchObject({ details: { status } });
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  it('does not move on when the answer itself is bad', async () => {
    const first = await startModelServer(says(''));
    const second = await startModelServer(says('never'));
    await expect(ask({ models: aliasOf(first, second) })).rejects.toMatchObject({
      code: 'model_reply_empty',
    });
    expect(second.requests).toHaveLength(0);
  });

  it('names everything it asked when nobody answered', async () => {
    await expect(ask({ models: aliasOf(deadUrl, deadUrl) })).rejects.toMatchObject({
      code: 'model_unreachable',
      message: expect.stringMatching(/'model-1', 'model-2'/),
      details: { failures: [{ model: 'model-1' }, { model: 'model-2' }] },
    });
  });

  it('[models.retry-after] waits as long as a 429 says, then asks again', async () => {
    const server = await startModelServer(
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': '7' }),
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': '3' }),
      says('now'),
    );
    const { waits, limits } = instantClock();
    expect((await ask({ models: aliasOf(server), rateLimits: limits })).content).toBe('now');
    expect(waits).toEqual([7000, 3000]);
  });

  it('does not wait for a server that wants minutes, but keeps what it said', async () => {
    const server = await startModelServer(
      json({ error: { message: 'quota' } }, 429, { 'retry-after': '3600' }),
    );
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({
      code: 'model_rate_limited',
      retryAfterSeconds: 3600,
      disposition: 'retryable',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('gives up on a 429 without Retry-After after a few attempts', async () => {
    const server = await startModelServer(json({ error: { message: 'quota' } }, 429));
    await expect(ask({ models: aliasOf(server) })).rejects.toMatchObject({ code: 'model_rate_limited' });
    expect(server.requests).toHaveLength(3);
  });
});

describe('streaming', () => {
  const tokens: string[] = [];
  const onToken = (piece: string, reasoning: boolean) => tokens.push(reasoning ? `(${piece})` : piece);
  afterEach(() => tokens.splice(0));
  const streamed = (server: ModelServer) => ask({ models: aliasOf(server) }, {}, { onToken });

  it('[models.stream-equals-whole] hands tokens over as they come and gives the same reply as without', async () => {
    const server = await startModelServer(
      streams(
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning: 'hm' }),
        delta({ content: 'こん' }),
        delta({ content: 'にちは' }),
        delta({}, 'stop'),
        { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
        'data: [DONE]\n\n',
      ),
    );
    const reply = await streamed(server);
    expect(tokens).toEqual(['(hm)', 'こん', 'にちは']);
    expect(reply).toMatchObject({
      content: 'こんにちは',
      reasoning: 'hm',
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    expect(server.requests[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it.each(['leaves it open', 'goes on', 'breaks it off'])(
    'a stream is complete with [DONE]: the reply is there when the server then %s',
    async (then) => {
      let closed: Promise<unknown> | undefined;
      const server = await startModelServer((response) => {
        closed = once(response, 'close');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify(delta({ content: 'all' }, 'stop'))}\n\ndata: [DONE]\n\n`);
        if (then === 'breaks it off') setTimeout(() => response.socket!.resetAndDestroy(), 20);
        if (then !== 'goes on') return;
        const pings = setInterval(() => response.write(': ping\n\n'), 20);
        response.on('close', () => clearInterval(pings));
      });
      expect((await streamed(server)).content).toBe('all');
      await closed;
    },
  );

  it('gives the same reply however the stream is cut into chunks and packets', async () => {
    const unit = fc.constantFrom('a', '\n', '"', '日', '🦊', '\u2028', 'data: ');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit, minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (pieces, packet, carriageReturns) => {
          const end = carriageReturns ? '\r\n\r\n' : '\n\n';
          const events = [...pieces.map((content) => delta({ content })), delta({}, 'stop')];
          const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}${end}`).join(''));
          const packets = Array.from({ length: Math.ceil(bytes.length / packet) }, (_, index) =>
            bytes.subarray(index * packet, (index + 1) * packet),
          );
          const content = `x${pieces.join('')}`;
          const start = Buffer.from(`data: ${JSON.stringify(delta({ content: 'x' }))}${end}`);
          const whole = await startModelServer(says(content));
          const server = await startModelServer(streams(start, ...packets));
          const expected = await ask({ models: aliasOf(whole) });
          expect((await streamed(server)).content).toBe(expected.content);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('survives characters that are split between packets', async () => {
    const bytes = Buffer.from(`data: ${JSON.stringify(delta({ content: '🦊日本' }))}\n\n`);
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    const server = await startModelServer(streams(...pieces, delta({}, 'stop')));
    expect((await streamed(server)).content).toBe('🦊日本');
  });

  it('assembles tool calls from fragments', async () => {
    const call = (index: number, part: object) => delta({ tool_calls: [{ index, ...part }] as never });
    const server = await startModelServer(
      streams(
        call(0, { id: 'a', type: 'function', function: { name: 'first', arguments: '' } }),
        call(1, { id: 'b', function: { name: 'second', arguments: '{' } }),
        call(0, { function: { arguments: '{"x":' } }),
        call(1, { function: { arguments: '}' } }),
        call(0, { function: { arguments: '"é"}' } }),
        delta({}, 'tool_calls'),
      ),
    );
    expect((await streamed(server)).toolCalls).toEqual([
      { id: 'a', type: 'function', function: { name: 'first', arguments: '{"x":"é"}' } },
      { id: 'b', type: 'function', function: { name: 'second', arguments: '{}' } },
    ]);
  });

  it('tells calls apart by their ids when a server sends no index', async () => {
    const call = (part: object) => delta({ tool_calls: [part] as never });
    const server = await startModelServer(
      streams(
        call({ id: 'a', function: { name: 'f', arguments: '{}' } }),
        call({ id: 'b', function: { name: 'g', arguments: '{"y"' } }),
        call({ function: { arguments: ':1}' } }),
        delta({}, 'tool_calls'),
      ),
    );
    expect((await streamed(server)).toolCalls.map((each) => [each.id, each.function.arguments])).toEqual([
      ['a', '{}'],
      ['b', '{"y":1}'],
    ]);
  });

  it.each([
    [
      'an error event after two tokens',
      streams(delta({ content: 'a' }), delta({ content: 'b' }), { error: { message: 'overloaded' } }),
      'model_stream_error',
    ],
    [
      'a bare error object',
      streams(delta({ content: 'a' }), 'event: error\ndata: {"message":"overloaded"}\n\n'),
      'model_stream_error',
    ],
    ['no finish reason', streams(delta({ content: 'a' }), 'data: [DONE]\n\n'), 'model_stream_incomplete'],
    ['an empty body', streams(), 'model_stream_empty'],
    ['only [DONE]', streams('data: [DONE]\n\n'), 'model_stream_empty'],
    [
      'something that is not JSON',
      streams(delta({ content: 'a' }), 'data: {oops\n\n'),
      'model_stream_malformed',
    ],
    ['a finished reply without content', streams(delta({}, 'stop')), 'model_reply_empty'],
    ['a cut-off reply', streams(delta({ content: 'a' }), delta({}, 'length')), 'model_reply_truncated'],
    ['a page', text('<html></html>'), 'model_reply_html'],
    ['a refusal of the request', json({ error: { message: 'no' } }, 400), 'model_request_refused'],
  ])('fails after %s', async (_, answer, code) => {
    const server = await startModelServer(answer);
    await expect(streamed(server)).rejects.toMatchObject({ code, category: 'model' });
    expect(server.requests).toHaveLength(1);
  });

  it('[models.stream-failures] fails when the connection closes after tokens were shown, without asking anyone else', async () => {
    const head = `data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`;
    const first = await startModelServer(breaksAfter(head, { 'content-type': 'text/event-stream' }));
    const second = await startModelServer(streams(delta({ content: 'never' }, 'stop')));
    await expect(ask({ models: aliasOf(first, second) }, {}, { onToken })).rejects.toMatchObject({
      code: 'model_connection_closed',
    });
    expect(tokens).toEqual(['a']);
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  it('accepts a whole reply from a server that knows no streaming', async () => {
    const server = await startModelServer(says('whole'));
    expect((await streamed(server)).content).toBe('whole');
    expect(tokens).toEqual(['whole']);
  });

  it('stops reading when it is cancelled in the middle', async () => {
    const controller = new AbortController();
    const server = await startModelServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`);
    });
    const cancelling = { onToken: () => controller.abort(new Error('stop it')), signal: controller.signal };
    await expect(ask({ models: aliasOf(server) }, {}, cancelling)).rejects.toThrow('stop it');
  });
});
