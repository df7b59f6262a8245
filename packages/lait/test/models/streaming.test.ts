import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { aliasOf, ask } from './ask.js';
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
