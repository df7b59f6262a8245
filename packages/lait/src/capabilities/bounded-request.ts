import { lookup as lookUpHost } from 'node:dns';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CancelledError, StepError, TimeoutError } from '../errors/errors.js';

export interface BoundedRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  timeoutMs: number;
  /** Longest body that is read. */
  maxBytes: number;
  /** Whether a connection to this address is allowed; asked for the very address that is connected to. */
  mayConnect(address: string): boolean;
}

export interface BoundedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends one request without following redirects. The address is checked when the connection is made, so that a name
 * cannot change its meaning in between. Throws a `StepError` (`http_failed`, `http_refused`, `http_too_large`), a
 * `TimeoutError` or a `CancelledError`.
 */
export function requestBounded(options: BoundedRequest): Promise<BoundedResponse> {
  const { method, url, headers, body, signal, timeoutMs, maxBytes } = options;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(error);
    };
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !options.mayConnect(literal)) {
      fail(refused(url.hostname, literal));
      return;
    }
    const settings: RequestOptions = {
      method,
      headers,
      signal,
      lookup: checkedLookup(options),
      agent: false,
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, settings, (response) => {
      read(response, maxBytes).then((text) => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, headers: plainHeaders(response), body: text });
      }, fail);
    });
    timer = setTimeout(() => {
      request.destroy(
        new TimeoutError({
          code: 'http_timeout',
          message: `${method} ${url.origin} took longer than ${timeoutMs} ms`,
        }),
      );
    }, timeoutMs);
    request.on('error', (error) => {
      if (signal.aborted) fail(signal.reason instanceof Error ? signal.reason : new CancelledError());
      else if (error instanceof StepError || error instanceof TimeoutError) fail(error);
      else
        fail(
          new StepError({
            code: 'http_failed',
            message: `${method} ${url.origin} failed: ${error.message || (error as NodeJS.ErrnoException).code}`,
          }),
        );
    });
    request.end(body);
  });
}

function checkedLookup({ mayConnect }: BoundedRequest): LookupFunction {
  return (hostname, options, callback) => {
    lookUpHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const allowed = addresses.filter(({ address }) => mayConnect(address));
      const [first] = allowed;
      if (first === undefined)
        callback(refused(hostname, addresses[0]?.address ?? '') as unknown as NodeJS.ErrnoException, '', 0);
      else if (options.all === true) callback(null, allowed as never, 0);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(hostname: string, address: string): StepError {
  return new StepError({
    code: 'http_refused',
    message: `${hostname} has the private address ${address}; list it under allowed_private_hosts to call it`,
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) {
      response.destroy();
      throw new StepError({ code: 'http_too_large', message: `the answer is longer than ${maxBytes} bytes` });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
