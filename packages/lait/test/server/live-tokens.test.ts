import { afterEach, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../src/server/compatible/dynamic/dynamic-api.js';
import { runEventStream } from '../../src/server/http/run-event-stream.js';
import { v1 } from '../../src/server/v1.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { complete, tools } from '../dialects/dynamic/host.js';
import { type Answer, delta, startModelServer, streams } from '../models/model-server.js';
import { runWhen, startTestServer, type TestServer, until } from './support/test-server.js';

const secret = 'sk-日本-0123456789';

interface Received {
  id?: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  data: any;
}

/** A model that says a piece each time it is told to. */
function gatedModel() {
  const gates: { open: () => void }[] = [];
  const answer: (...pieces: string[]) => Answer =
    (...pieces) =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) {
        await new Promise<void>((open) => gates.push({ open }));
        response.write(`data: ${JSON.stringify(delta({ content: piece }))}\n\n`);
      }
      response.end(`data: ${JSON.stringify(delta({}, 'stop'))}\n\ndata: [DONE]\n\n`);
    };
  const next = async () => (await until(async () => gates.shift())).open();
  return { answer, next };
}

/** Frames of a stream as they come. */
async function* follow(server: TestServer, runId: string, query: string): AsyncGenerator<Received> {
  const response = await fetch(`${server.url}/v1/runs/${runId}/events${query}`);
  expect(response.status).toBe(200);
  yield* received(response.body as unknown as AsyncIterable<Uint8Array>);
}

async function* received(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Received> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const frames = (rest + decoder.decode(part, { stream: true })).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      if (frame.startsWith(':')) continue;
      const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      yield { ...fields, data: JSON.parse(fields.data) } as Received;
    }
  }
}

async function all(frames: AsyncIterable<Received>): Promise<Received[]> {
  const events: Received[] = [];
  for await (const event of frames) events.push(event);
  return events;
}

const isToken = ({ event }: Received) => event === 'model.token';
const textOf = (events: readonly Received[]) =>
  events
    .filter(isToken)
    .map(({ data }) => data.text)
    .join('');

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.stop();
});

/** A server whose model says so; with `beside` another process of its database, which works on nothing. */
async function serverWith(answers: readonly Answer[], beside?: TestServer): Promise<TestServer> {
  const secrets = new SecretRegistry();
  secrets.add(secret);
  const server = await startTestServer({
    secrets,
    groups: [v1, dynamicApi],
    config: {
      base_url: (await startModelServer(...answers)).baseUrl,
      default: { model: 'm' },
      tools: { look: { command: ['true'] } },
    },
    services: { tools, agents: { writer: { system: 'Write.' } }, streaming: true },
    ...(beside !== undefined && {
      database: `${beside.directory}/lait.db`,
      settings: { concurrency: 0 },
    }),
  });
  open.push(server);
  return server;
}

/** A run that has begun; with `waits` it does so when its question is answered. */
async function start(server: TestServer, steps: string, waits = false): Promise<string> {
  const content = `steps:\n${waits ? '  - ask: ready?\n' : ''}${steps}`;
  await server.context.definitions.put({ id: 'w', form: 'steps', content });
  const { body } = await server.call('POST', '/v1/runs', { workflow: 'w', input: '' });
  if (waits) await runWhen(server, body.run_id, 'waiting_hitl');
  return body.run_id;
}

/** Everything that a client is told from the question on. */
async function answered(server: TestServer, runId: string): Promise<Received[]> {
  const live = all(follow(server, runId, '?tokens=true'));
  await until(async () => server.context.runTokens.size === 1);
  await server.call('POST', `/v1/runs/${runId}/answer`, { answer: 'yes' });
  return live;
}

describe('what models write while they write it', () => {
  const oneStep = '  - id: write\n    prompt: go\n';

  it('[server.live-tokens] reach a client that asks for them before the reply ends, and leave no gap', async () => {
    const gated = gatedModel();
    const server = await serverWith([gated.answer('こん', 'にちは 🎉')]);
    const runId = await start(server, oneStep);
    const live = follow(server, runId, '?tokens=true');
    const events: Received[] = [(await live.next()).value];
    await until(async () => server.context.runTokens.size === 1);
    await gated.next();
    while (!events.some(isToken)) events.push((await live.next()).value);
    expect(events.find(isToken)).toEqual({
      event: 'model.token',
      data: {
        type: 'model.token',
        node_id: 'write',
        activation_id: expect.any(String),
        address: 'steps[0]',
        label: 'write',
        request_name: 'request',
        text: 'こん',
        reasoning: false,
      },
    });
    // The second half is only written now that the first has arrived.
    await gated.next();
    events.push(...(await all(live)));
    expect(textOf(events)).toBe('こんにちは 🎉');
    const logged = events.filter((event) => !isToken(event));
    expect(logged.map(({ id }) => Number(id))).toEqual(logged.map((_, index) => index + 1));
    expect(logged.at(-1)!.data.payload).toMatchObject({ status: 'completed' });
    const completed = events.findIndex(({ event }) => event === 'node_completed');
    expect(events.findLastIndex(isToken)).toBeLessThan(completed);
    const activation = events[completed]!.data.payload.activation_id;
    expect(events.find(isToken)!.data.activation_id).toBe(activation);
    // Nothing of it is kept, and a client that comes back goes on behind what it has seen.
    const { body } = await server.call('GET', `/v1/runs/${runId}/log`);
    expect(body.items.map(({ seq }: { seq: number }) => seq)).toEqual(logged.map(({ data }) => data.seq));
    const later = await all(follow(server, runId, '?tokens=true&last_event_id=2'));
    expect(later).toEqual(logged.slice(2));
    expect(server.context.runTokens.size).toBe(0);
  });

  it('[server.live-tokens] reach nobody who does not ask for them, nor through another process', async () => {
    const gated = gatedModel();
    const server = await serverWith([gated.answer('a', 'b')]);
    const other = await serverWith([], server);
    const runId = await start(server, oneStep);
    const [asking, plain, elsewhere] = [
      all(follow(server, runId, '?tokens=true')),
      all(follow(server, runId, '')),
      all(follow(other, runId, '?tokens=true')),
    ];
    await until(async () => server.context.runTokens.size === 1);
    for (const _ of ['a', 'b']) await gated.next();
    expect(textOf(await asking)).toBe('ab');
    expect((await plain).filter(isToken)).toEqual([]);
    expect(await elsewhere).toEqual(await plain);
    const { status, body } = await server.call('GET', `/v1/runs/${runId}/events?tokens=maybe`);
    expect([status, body.code]).toEqual([422, 'request_invalid']);
  });

  it('[server.live-tokens] tell the requests of a step and concurrent steps apart', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'tool__look', arguments: '{}' }, index: 0 };
    const done = (reason: string) => [delta({}, reason), 'data: [DONE]\n\n'];
    const answers: Record<string, Answer[]> = {
      left: [
        streams(delta({ content: 'looking' }), delta({ tool_calls: [call] }), ...done('tool_calls')),
        streams(delta({ reasoning: 'hm' }), delta({ content: 'found' }), ...done('stop')),
      ],
      right: [streams(delta({ content: 'right' }), ...done('stop'))],
    };
    const server = await serverWith([
      (response, request) => {
        const { messages } = request.body as { messages: { content: string }[] };
        return answers[messages[0]!.content]!.shift()!(response, request);
      },
    ]);
    const steps =
      '  - parallel:\n      l:\n        - {id: left, prompt: left, tools: [look]}\n      r:\n        - {id: right, prompt: right}\n';
    const events = await answered(server, await start(server, steps, true));
    const told = events.filter(isToken).map(({ data }) => data);
    const said: Record<string, string> = {};
    for (const { node_id, request_name, reasoning, text } of told) {
      const name = `${node_id} ${request_name}${reasoning ? ' reasoning' : ''}`;
      said[name] = (said[name] ?? '') + text;
    }
    expect(said).toEqual({
      'left request[1]': 'looking',
      'left request[2] reasoning': 'hm',
      'left request[2]': 'found',
      'right request': 'right',
    });
  });

  it('[server.live-tokens] never show a secret, also when it is cut into tokens', async () => {
    const encoded = Buffer.from(secret).toString('base64');
    const text = `key ${secret}, ${encoded} or ${secret.slice(0, 6)}`;
    const answer = streams(
      ...[...text].map((content) => delta({ content })),
      delta({}, 'stop'),
      'data: [DONE]\n\n',
    );
    const server = await serverWith([answer]);
    const masked = `key [REDACTED], [REDACTED] or ${secret.slice(0, 6)}`;
    const events = await answered(server, await start(server, oneStep, true));
    expect(textOf(events)).toBe(masked);
    const definition = complete({ id: 'd', graph: [{ type: 'agent', id: 'write', agentId: 'writer' }] });
    await server.call('POST', '/api/stored/workflows', definition);
    const response = await fetch(`${server.url}/api/workflows/d/stream?runId=d1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inputData: { prompt: 'hi' } }),
    });
    const said = (await response.text())
      .split('\u001e')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(event))
      .filter(({ type }) => type === 'workflow-step-output')
      .map(({ payload }) => payload.output.payload.text);
    expect(said.join('')).toBe(masked);
  });

  it('[server.live-tokens] a client that takes nothing holds no run up, and is told what it missed', async () => {
    const piece = 'x'.repeat(20_000);
    const count = 100;
    const pieces = Array.from({ length: count }, () => delta({ content: piece }));
    const server = await serverWith([streams(...pieces, delta({}, 'stop'), 'data: [DONE]\n\n')]);
    const runId = await start(server, `${oneStep}  - jq: length\n`, true);
    // Without a connection between them, whose buffers would take megabytes.
    const { signal } = new AbortController();
    const request = { headers: new Headers(), url: new URL(server.url), signal };
    const { body } = await runEventStream(request, server.context, { runId, tokens: true });
    const reader = body!.getReader();
    await reader.read();
    await server.call('POST', `/v1/runs/${runId}/answer`, { answer: 'yes' });
    const { result } = await runWhen(server, runId, 'completed');
    expect(result).toBe(count * piece.length);
    reader.releaseLock();
    const events = await all(received(body as unknown as AsyncIterable<Uint8Array>));
    const skipped = events.filter(({ event }) => event === 'model.tokens_skipped');
    expect(skipped).toHaveLength(1);
    expect(textOf(events).length).toBeGreaterThan(1_000_000);
    expect(textOf(events).length + skipped[0]!.data.characters).toBe(count * piece.length);
    expect(events.at(-1)!.data.payload).toMatchObject({ status: 'completed' });
    expect(server.context.runTokens.size).toBe(0);
  });

  it('[server.live-tokens] a client that goes away in the middle leaves nothing behind', async () => {
    const gated = gatedModel();
    const server = await serverWith([gated.answer('こん', 'にちは')]);
    const runId = await start(server, oneStep);
    const live = follow(server, runId, '?tokens=true');
    await live.next();
    await until(async () => server.context.runTokens.size === 1);
    await gated.next();
    while (!isToken((await live.next()).value));
    await live.return(undefined);
    await until(async () => server.context.runTokens.size === 0);
    await gated.next();
    expect((await runWhen(server, runId, 'completed')).result).toBe('こんにちは');
  });
});
