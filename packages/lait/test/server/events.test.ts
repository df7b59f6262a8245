import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunServiceOptions } from '../../src/server/runs/run-service.js';
import { runWhen, startTestServer, type TestServer, until } from './support/test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { heartbeatMs: 100 } });
  const { definitions } = server.context;
  await definitions.put({ id: 'pure', form: 'steps', content: "steps:\n  - jq: '1'\n  - jq: '2'\n" });
  await definitions.put({ id: 'ask', form: 'steps', content: 'steps:\n  - ask: "ok?"\n  - jq: .\n' });
});
afterAll(() => server.stop());

interface Received {
  id: number;
  type: string;
  data: { seq: number; type: string };
}

/** Reads a stream to its end, or until there are so many events. */
async function follow(
  runId: string,
  { query = '', last = '', most = Number.POSITIVE_INFINITY, onHeartbeat = () => {} } = {},
) {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/v1/runs/${runId}/events${query}`, {
    headers: last === '' ? {} : { 'last-event-id': last },
    signal: abort.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: Received[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    const frames = (rest + decoder.decode(part, { stream: true })).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      if (frame.startsWith(':')) onHeartbeat();
      else events.push(eventOf(frame));
    }
    if (events.length >= most) break;
  }
  abort.abort();
  return { events };
}

function eventOf(frame: string): Received {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return { id: Number(fields.id), type: fields.event!, data: JSON.parse(fields.data!) };
}

const numbers = (events: readonly Received[]) => events.map(({ id }) => id);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

describe('events of a run', () => {
  it('[server.events] come in order without gaps, live and afterwards, and end with the run', async () => {
    const { body } = await server.call('POST', '/v1/runs', { workflow: 'pure', input: '' });
    const live = await follow(body.run_id);
    const later = await follow(body.run_id);
    expect(numbers(later.events)).toEqual(upTo(later.events.length));
    expect(live.events).toEqual(later.events);
    expect(live.events[0]).toMatchObject({ type: 'run_created', data: { seq: 1 } });
    expect(live.events.at(-1)).toMatchObject({
      type: 'run_status_changed',
      data: { payload: { status: 'completed' } },
    });
  });

  it('[server.events] go on behind Last-Event-ID; junk counts as none', async () => {
    const { body } = await server.call('POST', '/v1/runs', { workflow: 'pure', input: '' });
    const all = (await follow(body.run_id)).events;
    expect((await follow(body.run_id, { last: '3' })).events).toEqual(all.slice(3));
    expect((await follow(body.run_id, { query: '?last_event_id=3' })).events).toEqual(all.slice(3));
    expect((await follow(body.run_id, { last: '2', query: '?last_event_id=5' })).events).toEqual(
      all.slice(2),
    );
    for (const last of ['x', '-1', '1e3', '99999999', '99999999999999999999'])
      expect((await follow(body.run_id, { last })).events).toEqual(all);
    expect((await follow(body.run_id, { last: String(all.length) })).events).toEqual([]);
  });

  it('[server.events] a waiting run keeps the stream open with heartbeats, or ends it when asked to', async () => {
    const { body } = await server.call('POST', '/v1/runs', { workflow: 'ask', input: '' });
    await runWhen(server, body.run_id, 'waiting_hitl');
    const parked = await follow(body.run_id, { query: '?until=parked' });
    expect(parked.events.map(({ type }) => type)).toContain('hitl_question_asked');
    let heartbeats = 0;
    const open = follow(body.run_id, {
      onHeartbeat: () => {
        heartbeats += 1;
      },
    });
    await until(async () => heartbeats > 0);
    await server.call('POST', `/v1/runs/${body.run_id}/answer`, { answer: 'yes' });
    const { events } = await open;
    expect(numbers(events)).toEqual(upTo(events.length));
    expect(events.at(-1)!.data).toMatchObject({ payload: { status: 'completed' } });
  });

  it('[server.load] 10,000 events reach 50 listeners, each of them once and in order', {
    timeout: 60_000,
  }, async () => {
    const { body } = await server.call('POST', '/v1/runs', { workflow: 'ask', input: '' });
    await runWhen(server, body.run_id, 'waiting_hitl');
    const before = (await server.call('GET', `/v1/runs/${body.run_id}/log`)).body.items.length;
    const total = before + 10_000;
    const listeners = Array.from({ length: 50 }, (_, index) =>
      // Some come late, some go on where they were.
      follow(body.run_id, {
        most: total - (index % 5 === 0 ? before : 0),
        last: index % 5 === 0 ? String(before) : '',
      }),
    );
    const { store } = behind(server);
    for (let batch = 0; batch < 100; batch += 1)
      await store.append(
        body.run_id,
        upTo(100).map((number) => ({ event_type: 'test', payload: { batch, number, text: '観測 🎉' } })),
      );
    for (const [index, { events }] of (await Promise.all(listeners)).entries()) {
      const from = index % 5 === 0 ? before : 0;
      expect(numbers(events)).toEqual(upTo(total - from, from + 1));
    }
    await server.call('POST', `/v1/runs/${body.run_id}/cancel`);
  });

  it('[server.slow-client] a client that takes nothing costs no memory and holds nobody up', async () => {
    const { body } = await server.call('POST', '/v1/runs', { workflow: 'ask', input: '' });
    await runWhen(server, body.run_id, 'waiting_hitl');
    const sockets = await Promise.all(upTo(5).map(() => openStalled(`/v1/runs/${body.run_id}/events`)));
    const { store } = behind(server);
    const text = 'x'.repeat(10_000);
    for (let batch = 0; batch < 30; batch += 1)
      await store.append(
        body.run_id,
        upTo(100).map(() => ({ event_type: 'test', payload: { text } })),
      );
    // 30 MB were logged; none of the five stalled clients has taken more than its buffers hold.
    const { events } = await follow(body.run_id, { most: 3000 });
    expect(events.length).toBeGreaterThanOrEqual(3000);
    for (const socket of sockets) expect(socket.bytesRead).toBeLessThan(20_000_000);
    // Half-open: the other end goes away without a word.
    for (const socket of sockets) socket.resetAndDestroy();
    await server.call('POST', `/v1/runs/${body.run_id}/cancel`);
    await runWhen(server, body.run_id, 'cancelled');
    expect((await server.call('GET', '/v1/health')).status).toBe(200);
    await until(async () => behind(server).feeds.size === 0);
  });
});

function openStalled(path: string): Promise<Socket> {
  const { port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      socket.once('data', () => {
        socket.pause();
        resolve(socket);
      });
    });
    socket.on('error', () => {});
  });
}

/** What stands behind the run service. */
function behind({ context }: TestServer) {
  return (context.runs as unknown as { options: RunServiceOptions }).options;
}
