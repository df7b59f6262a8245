import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModelService } from '../../src/models/model-service.js';
import { RateLimits } from '../../src/models/rate-limits.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { run, text } from '../kinds/model-plan.js';

/** The model client against a server that was written by others. */
let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  await mock.start();
});
afterEach(() => mock.stop());

const story = '昔々あるところに、おじいさんと 🦊 が暮らしていました。'.repeat(5);

async function ask(content: string, streaming: boolean) {
  const tokens: string[] = [];
  const models = createModelService({
    base_url: `${mock.url}/v1`,
    variables: {},
    secrets: new SecretRegistry(),
    rateLimits: new RateLimits({ now: () => Date.now(), sleep: async () => {} }),
  });
  const reply = await models.request(
    { model: models.resolve({ model: 'gpt-mock' }), messages: [{ role: 'user', content }] },
    {
      signal: new AbortController().signal,
      ...(streaming ? { onToken: (piece: string) => tokens.push(piece) } : {}),
    },
  );
  return { reply, tokens };
}

describe.each([false, true])('a mock server, streaming: %s', (streaming) => {
  it('answers text', async () => {
    mock.onMessage('story', { content: story });
    const { reply, tokens } = await ask('story', streaming);
    expect(reply).toMatchObject({ content: story, finishReason: 'stop' });
    expect(reply.usage?.outputTokens).toBeGreaterThan(0);
    if (streaming) {
      expect(tokens.length).toBeGreaterThan(1);
      expect(tokens.join('')).toBe(story);
    }
  });

  it('asks for tools', async () => {
    const calls = [
      { name: 'first', arguments: JSON.stringify({ 町: '奈良', n: 1 }) },
      { name: 'second', arguments: JSON.stringify({ deep: { list: ['a'.repeat(100)] } }) },
    ];
    mock.onMessage('tools', { toolCalls: calls });
    const { reply } = await ask('tools', streaming);
    expect(reply.finishReason).toBe('tool_calls');
    expect(
      reply.toolCalls.map((call) => ({ name: call.function.name, arguments: call.function.arguments })),
    ).toEqual(calls);
  });

  it('is rate limited, then answers', async () => {
    mock.onMessage('later', { content: 'now' });
    mock.nextRequestError(429, { message: 'slow down' });
    expect((await ask('later', streaming)).reply.content).toBe('now');
  });

  it('sends broken JSON', async () => {
    mock.onMessage('broken', { content: 'never' });
    mock.setChaos({ malformedRate: 1 });
    await expect(ask('broken', streaming)).rejects.toMatchObject({
      category: 'model',
      code: expect.stringMatching(/^model_(reply_not_json|reply_incomplete|stream_malformed|stream_empty)$/),
    });
  });

  it('hangs up', async () => {
    mock.onMessage('bye', { content: 'never' });
    mock.setChaos({ disconnectRate: 1 });
    await expect(ask('bye', streaming)).rejects.toMatchObject({ code: 'model_connection_closed' });
  });
});

describe('a mock server that stops in the middle of a stream', () => {
  it('after a few chunks', async () => {
    mock.onMessage('cut', { content: story }, { chunkSize: 5, truncateAfterChunks: 3 });
    await expect(ask('cut', true)).rejects.toMatchObject({
      code: expect.stringMatching(/^model_(stream_incomplete|connection_closed)$/),
    });
  });
});

it('a conversation with tools runs the same streamed and not', async () => {
  mock.onTurn(0, 'add', { toolCalls: [{ name: 'tool__add', arguments: '{"a":2,"b":40}' }] });
  mock.onTurn(1, 'add', { content: 'The answer is 42.' });
  const add = {
    command: ['sh', '-c', 'echo $(($1 + $2))', 'sh', '{{ input.a }}', '{{ input.b }}'],
    parameters: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
  };
  for (const streaming of [false, true]) {
    const { value, events } = await run(
      [{ kind: 'prompt', fields: { prompt: text('add'), tools: ['add'] } }],
      {
        models: { base_url: `${mock.url}/v1`, streaming },
        tools: { tools: { add } },
      },
    );
    expect(value).toBe('The answer is 42.');
    expect(events.find(({ type }) => type === 'tool.completed')).toMatchObject({ result: '42' });
  }
});
