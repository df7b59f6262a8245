import {
  type ClientRequestArgs,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Duplex, pipeline, type Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { followingRedirects } from './following-redirects.js';
import { networkFetch } from './network-fetch.js';
import { proxyFor } from './proxy-for.js';

/** Idle connections are dropped before servers do so, who often wait for five seconds. */
const connections = { keepAlive: true, timeout: 4_000 };
const connectTimeoutMs = 10_000;
/** So long a reply may take to end behind what its reader wanted. */
const restOfReplyMs = 1_000;
const utf8 = new TextDecoder();

/** A request that posts text. */
export interface ApiRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}

/** The part of the platform's `Response` that callers of APIs read. The body is read once, as a whole or in pieces. */
export interface ApiResponse {
  readonly ok: boolean;
  readonly status: number;
  /** Decompressed. Half a body is a body that fails when it is read. */
  readonly body: AsyncIterable<Uint8Array>;
  header(name: string): string | null;
  /** Nobody reads on: the connection is kept when the body ends soon, and closed otherwise. */
  release(): void;
  /** Throws a `BodyTooLargeError` when the body is longer. */
  text(maxBytes: number): Promise<string>;
}

export type ApiPost = (request: ApiRequest) => Promise<ApiResponse>;

/** A body that is longer than its reader allows. */
export class BodyTooLargeError extends Error {
  constructor(readonly maxBytes: number) {
    super(`the body is longer than ${maxBytes} bytes`);
  }
}

/** The connection could not be opened in time. */
class ConnectTimeoutError extends Error {
  readonly code = 'CONNECT_TIMEOUT';
}

/**
 * Posts text to one address; text or a stream comes back. It does what `fetch` does, but without the objects and streams
 * that the standard puts around every request and reply: a call takes a fourth of the CPU time, which counts where
 * hundreds are under way. What goes through the proxies that `variables` name is left to `fetch`. Nothing is sent twice,
 * but where a redirect leads, also when a kept connection turns out to be closed: whether the server has seen a request
 * cannot be known, so that repeating is up to the caller. Rejects with the reason of the signal when it is aborted.
 */
export function postTo(url: URL, variables: Readonly<Record<string, string | undefined>>): ApiPost {
  return followingRedirects(url, (place) => sender(place, variables));
}

function sender(url: URL, variables: Readonly<Record<string, string | undefined>>): ApiPost {
  if (proxyFor(url, variables) === undefined) {
    const target = targetOf(url);
    return async (request) => {
      request.signal.throwIfAborted();
      return new Reply(await send(target, request));
    };
  }
  const init = { method: 'POST', redirect: 'manual' } as const;
  return async (request) => standardReply(await networkFetch(variables)(url, { ...init, ...request }));
}

interface Target {
  options: ClientRequestArgs;
  request: typeof httpRequest;
}

/** Only what is set: the client copies the options several times for each request. */
function targetOf(url: URL): Target {
  const { hostname, port, path, auth } = urlToHttpOptions(url);
  const secure = url.protocol === 'https:';
  return {
    request: secure ? httpsRequest : httpRequest,
    options: {
      method: 'POST',
      hostname,
      path,
      ...(port === undefined ? {} : { port }),
      ...(auth == null ? {} : { auth }),
      agent: secure ? secureAgent : agent,
    },
  };
}

class ConnectionAgent extends HttpAgent {
  override createConnection(...given: Parameters<HttpAgent['createConnection']>) {
    return inTime(super.createConnection(...given), 'connect');
  }
}

class SecureConnectionAgent extends HttpsAgent {
  override createConnection(...given: Parameters<HttpsAgent['createConnection']>) {
    return inTime(super.createConnection(...given), 'secureConnect');
  }
}

const agent = new ConnectionAgent(connections);
const secureAgent = new SecureConnectionAgent(connections);

function inTime<Socket extends Duplex | null | undefined>(socket: Socket, connected: string): Socket {
  const timer = setTimeout(() => {
    socket?.destroy(new ConnectTimeoutError('the connection could not be opened in time'));
  }, connectTimeoutMs);
  const stop = () => clearTimeout(timer);
  socket?.once(connected, stop).once('close', stop);
  return socket;
}

/** Sends a request and waits for the head of the reply. */
function send(target: Target, { headers, body, signal }: ApiRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = target.request({ ...target.options, headers });
    let message: IncomingMessage | undefined;
    const abort = () => {
      message?.destroy(signal.reason);
      request.destroy(signal.reason);
    };
    signal.addEventListener('abort', abort);
    // At the end of the reply, however it ends.
    request.on('close', () => {
      signal.removeEventListener('abort', abort);
      // Nothing else tells of a server that answers 101, as if it had been asked for another protocol.
      reject(new Error('the server ended the connection without a reply'));
    });
    request.on('response', (response) => {
      message = response;
      resolve(response);
    });
    request.on('error', reject);
    request.end(body);
  });
}

class Reply implements ApiResponse {
  readonly #message: IncomingMessage;
  readonly #body: Readable;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.#body = decoded(message);
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#body.iterator({ destroyOnReturn: false });
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  header(name: string): string | null {
    const value = this.#message.headers[name];
    return value === undefined ? null : String(value);
  }

  text(maxBytes: number): Promise<string> {
    return textOf(this.#body, maxBytes);
  }

  release(): void {
    const body = this.#body;
    if (body.closed) return;
    const timer = setTimeout(() => body.destroy(), restOfReplyMs);
    body
      .on('error', passed)
      .once('close', () => clearTimeout(timer))
      .resume();
  }
}

/** Some servers compress without being asked. */
function decoded(message: IncomingMessage): Readable {
  switch (message.headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return pipeline(message, createUnzip(), passed);
    case 'br':
      return pipeline(message, createBrotliDecompress(), passed);
    default:
      return message;
  }
}

/** What breaks off fails for whoever reads it. */
function passed(): void {}

/** Listens by itself: iterating takes three times as long for the short bodies that are usual. */
function textOf(body: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    if (body.destroyed) throw body.errored ?? new Error('the connection was closed');
    const pieces: Buffer[] = [];
    let size = 0;
    body.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) body.destroy(new BodyTooLargeError(maxBytes));
      else pieces.push(piece);
    });
    body.on('end', () => resolve(utf8.decode(wholeOf(pieces))));
    body.on('error', reject);
  });
}

function wholeOf(pieces: Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

function standardReply(response: Response): ApiResponse {
  const { ok, status, headers } = response;
  const body: AsyncIterable<Uint8Array> = response.body ?? emptyBody();
  return {
    ok,
    status,
    body,
    header: (name) => headers.get(name),
    release: () => void response.body?.cancel().catch(passed),
    async text(maxBytes) {
      const pieces: Buffer[] = [];
      let size = 0;
      for await (const piece of body) {
        size += piece.length;
        if (size > maxBytes) throw new BodyTooLargeError(maxBytes);
        pieces.push(Buffer.from(piece));
      }
      return utf8.decode(wholeOf(pieces));
    },
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
