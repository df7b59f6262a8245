import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

/** Idle connections are dropped before servers do so, who often wait for five seconds. */
const connections = { keepAlive: true, timeout: 4_000 };
const agents = { http: new HttpAgent(connections), https: new HttpsAgent(connections) };
const connectTimeoutMs = 10_000;
/** Replies of a known length up to this one are read before they are handed over. */
const longestWhole = 1024 * 1024;

/** The connection could not be opened in time. */
class ConnectTimeoutError extends Error {
  readonly code = 'CONNECT_TIMEOUT';
}

/**
 * A `fetch` for requests to APIs: text goes out, text or a stream comes back. It does what the standard says, but without
 * the streams that the standard puts around every request and reply: a call takes a third of the CPU time, which counts
 * where hundreds are under way. Bodies of other kinds, and servers that redirect, are left to the platform's `fetch`.
 */
export const apiFetch: typeof fetch = async (input, init = {}) => {
  const { body, method = 'GET', signal } = init;
  if (input instanceof Request || (typeof body !== 'string' && body != null)) return fetch(input, init);
  signal?.throwIfAborted();
  const given = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
  const headers = Object.fromEntries(given);
  const message = await send(new URL(input), { method, headers, body: body ?? undefined, signal });
  const { statusCode = 0, headers: received } = message;
  if (statusCode >= 300 && statusCode < 400 && received.location !== undefined) {
    message.resume();
    return fetch(input, init);
  }
  return new Response(await bodyOf(message), { status: statusCode, headers: headersOf(message) });
};

interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | null | undefined;
}

/** Sends a request and waits for the head of the reply. */
async function send(url: URL, outgoing: Outgoing): Promise<IncomingMessage> {
  for (;;) {
    const reply = await sendOnce(url, outgoing);
    if (reply !== 'stale') return reply;
  }
}

/** `stale`: a kept connection turned out to be closed by the server, so nobody has seen the request. */
function sendOnce(url: URL, { body, signal, ...options }: Outgoing): Promise<IncomingMessage | 'stale'> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? httpsRequest : httpRequest)(url, {
      ...options,
      agent: secure ? agents.https : agents.http,
      ...(signal == null ? {} : { signal }),
    });
    request.on('response', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve('stale');
      else reject(error);
    });
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => {
        request.destroy(new ConnectTimeoutError('the connection could not be opened in time'));
      }, connectTimeoutMs);
      const stop = () => clearTimeout(timer);
      socket.once(secure ? 'secureConnect' : 'connect', stop).once('close', stop);
    });
    request.end(body);
  });
}

/** The body as text where its length is known, else as it comes. Half a body is a body that fails when it is read. */
async function bodyOf(message: IncomingMessage): Promise<Buffer | ReadableStream | null> {
  const { statusCode = 0, headers } = message;
  if ([204, 205, 304].includes(statusCode)) {
    message.resume();
    return null;
  }
  const decoded = decode(message);
  if (decoded !== message || !(Number(headers['content-length'] ?? Number.NaN) <= longestWhole)) {
    return Readable.toWeb(decoded) as ReadableStream;
  }
  try {
    const parts: Buffer[] = [];
    for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  } catch (error) {
    return new ReadableStream({ start: (controller) => controller.error(error) });
  }
}

/** Some servers compress without being asked. */
function decode(message: IncomingMessage): Readable {
  switch (message.headers['content-encoding']) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return decompressed(message, createUnzip());
    case 'br':
      return decompressed(message, createBrotliDecompress());
    default:
      return message;
  }
}

function decompressed(message: IncomingMessage, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  message.on('error', (error) => decoder.destroy(error));
  return message.pipe(decoder);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
}
