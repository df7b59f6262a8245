import { describe, expect, it } from 'vitest';
import { aliasOf, ask, deadUrl } from './ask.js';
import { breaksAfter, json, says, startModelServer, text } from './model-server.js';

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
