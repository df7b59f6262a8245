import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ServerClient } from '../../src/cli/runs/server/server-client.js';
import type { JsonObject } from '../../src/values/value.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that answers one request after the other as it is told; asked: their addresses. */
async function serving(...answers: ((response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answers.shift()!(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new ServerClient({ url, token: undefined, signal: new AbortController().signal });
  return { client, asked };
}

function frames(response: ServerResponse, ...events: JsonObject[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
}

async function followed(client: ServerClient, seen: JsonObject[]): Promise<void> {
  for await (const event of client.events('r', 0, false)) seen.push(event);
}

describe('[server.operator] a run that is followed while its server goes away', () => {
  it('is followed on from the last entry, until it has ended', async () => {
    const { client, asked } = await serving(
      (response) => {
        frames(response, { seq: 1 }, { seq: 2, text: '続く 🎉' });
        setTimeout(() => response.destroy(), 50);
      },
      (response) => {
        frames(response, { seq: 3 });
        response.end();
      },
      (response) => response.end('{"status":"running"}'),
      (response) => {
        frames(response, { seq: 4 });
        response.end();
      },
      (response) => response.end('{"status":"completed"}'),
    );
    const seen: JsonObject[] = [];
    await followed(client, seen);
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(asked.map((url) => /last_event_id=\d+|runs\/r$/.exec(url)?.[0])).toEqual([
      'last_event_id=0',
      'last_event_id=2',
      'runs/r',
      'last_event_id=3',
      'runs/r',
    ]);
  });

  it('ends with what the server says when it knows the run no more', async () => {
    const { client } = await serving(
      (response) => {
        frames(response, { seq: 1 });
        setTimeout(() => response.destroy(), 50);
      },
      (response) => response.writeHead(404).end('{"code":"run_not_found","detail":"there is no run"}'),
    );
    const seen: JsonObject[] = [];
    await expect(followed(client, seen)).rejects.toMatchObject({ code: 'run_not_found' });
    expect(seen).toHaveLength(1);
  });
});
