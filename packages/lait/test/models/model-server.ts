import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { JsonObject } from '../../src/values/value.js';

export interface SeenRequest {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: JsonObject;
}

/** Answers one request however badly it likes. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1` */
  baseUrl: string;
  requests: SeenRequest[];
  /** Most requests that were open at the same time. */
  peak: number;
}

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A real HTTP server on loopback that answers by a script: the n-th answer to the n-th request, then the last one. */
export async function startModelServer(...answers: Answer[]): Promise<ModelServer> {
  const sockets = new Set<Socket>();
  const seen: ModelServer = { baseUrl: '', requests: [], peak: 0 };
  let active = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      active += 1;
      seen.peak = Math.max(seen.peak, active);
      response.on('close', () => {
        active -= 1;
      });
      const text = Buffer.concat(chunks).toString('utf8');
      const entry = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        body: JSON.parse(text || '{}'),
      };
      seen.requests.push(entry);
      const answer = answers[Math.min(seen.requests.length, answers.length) - 1];
      if (answer === undefined) response.writeHead(500).end();
      else void answer(response, entry);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  seen.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  open.push({
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  });
  return seen;
}

export interface Said {
  content?: unknown;
  reasoning?: string;
  refusal?: string;
  tool_calls?: unknown;
  finish_reason?: string | null;
  usage?: JsonObject;
}

/** A chat completion. */
export function says(said: string | Said): Answer {
  const { finish_reason, usage, ...message } = typeof said === 'string' ? ({ content: said } as Said) : said;
  return json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'answering-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, ...message },
        finish_reason:
          finish_reason === undefined ? (message.tool_calls ? 'tool_calls' : 'stop') : finish_reason,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  });
}

export type Call = [name: string, arguments_: unknown, id?: string];

/** A reply that asks for tools. */
export function calls(...list: Call[]): Answer {
  return says({
    tool_calls: list.map(([name, arguments_, id], index) => ({
      id: id ?? `c${index + 1}`,
      type: 'function',
      function: {
        name,
        arguments: typeof arguments_ === 'string' ? arguments_ : JSON.stringify(arguments_),
      },
    })),
  });
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function text(
  body: string | Buffer,
  status = 200,
  type = 'text/html',
  headers: Record<string, string> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(body);
  };
}

/** Streamed chunks; a string is written as it is, an object as one `data:` event. */
export function streams(...events: (JsonObject | string | Buffer)[]): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      const piece =
        typeof event === 'string' || Buffer.isBuffer(event) ? event : `data: ${JSON.stringify(event)}\n\n`;
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  };
}

export function delta(change: JsonObject, finish_reason: string | null = null): JsonObject {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta: change, finish_reason }],
  };
}

/** Cuts the connection after the given bytes. */
export function breaksAfter(head: string, headers: Record<string, string>): Answer {
  return (response) => {
    response.writeHead(200, headers);
    response.write(head, () => response.socket?.destroy());
  };
}
