import type OpenAI from 'openai';
import { isLaitError } from '../errors/lait-error.js';
import type { ModelCandidate, ModelRequest } from '../kinds/services.js';
import { apiFetch } from '../network/api-fetch.js';
import { networkFetch } from '../network/network-fetch.js';
import { isObject } from '../values/value.js';
import { boundedFetch, looksLikeHtml } from './bounded-fetch.js';
import type { Credentials } from './credentials.js';
import { withDeadline } from './deadline.js';
import { type ModelErrorCode, modelError } from './model-error.js';
import { ownText } from './own-text.js';
import { type RawReply, readCompletion } from './read-completion.js';
import { readStream, streamError } from './read-stream.js';
import { chatBody } from './request-body.js';
import { readResponse, responsesBody } from './responses-api.js';

export interface SendOptions {
  signal: AbortSignal;
  timeoutSeconds: number;
  /** Present: the reply is streamed. */
  onToken?: (text: string, reasoning: boolean) => void;
}

/**
 * Sends requests through the `openai` package, which is loaded with the first one. One HTTP request each: repeating is
 * left to the caller, who can be cancelled while waiting and slows down together with others.
 */
export class ChatClient {
  readonly #clients = new Map<string, OpenAI>();
  readonly #fetch: typeof fetch;

  /** `variables`: where the proxies are named. */
  constructor(variables: Readonly<Record<string, string | undefined>>) {
    this.#fetch = boundedFetch(networkFetch(variables, apiFetch));
  }

  /** Throws a `ModelError` with one of the codes of `model-error.ts`, or a `TimeoutError` (code `model_timeout`). */
  async send(
    candidate: ModelCandidate,
    baseUrl: string,
    credentials: Credentials,
    request: ModelRequest,
    options: SendOptions,
  ): Promise<RawReply> {
    const client = await this.#client(baseUrl, credentials);
    const { timeoutSeconds, signal } = options;
    return withDeadline(timeoutSeconds, signal, async (limited) => {
      try {
        return await this.#exchange(client, candidate, request, { ...options, signal: limited });
      } catch (error) {
        throw translate(error, candidate, baseUrl, credentials);
      }
    });
  }

  async #exchange(
    client: OpenAI,
    candidate: ModelCandidate,
    request: ModelRequest,
    { signal, onToken }: SendOptions,
  ): Promise<RawReply> {
    const { modelId, entry } = candidate;
    if (entry.api === 'responses') {
      const body = responsesBody(request, candidate);
      const response = await client.post('/responses', { body, signal }).asResponse();
      return inOnePiece(readResponse(await wholeText(response), modelId), onToken);
    }
    const body = chatBody(request, candidate, onToken !== undefined);
    if (onToken === undefined) {
      const response = await client.chat.completions
        .create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, { signal })
        .asResponse();
      return readCompletion(await wholeText(response), modelId);
    }
    const { data, response } = await client.chat.completions
      .create(body as OpenAI.ChatCompletionCreateParamsStreaming, { signal })
      .withResponse();
    const type = response.headers.get('content-type') ?? '';
    // A server that knows no streaming answers in one piece; a page is no stream either.
    if (/\bjson\b|html/i.test(type))
      return inOnePiece(readCompletion(await wholeText(response), modelId), onToken);
    const reply = await readStream(data, modelId, onToken);
    signal.throwIfAborted();
    return reply;
  }

  async #client(baseUrl: string, { headers, query }: Credentials): Promise<OpenAI> {
    const name = JSON.stringify([baseUrl, headers, query]);
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const { default: Client } = await import('openai');
    const client = new Client({
      baseURL: baseUrl,
      // Where the key goes is said by the headers.
      apiKey: 'unused',
      // Only what the configuration says goes out, not what the package finds in the environment.
      adminAPIKey: null,
      organization: null,
      project: null,
      defaultHeaders: { authorization: null, ...headers },
      defaultQuery: query,
      maxRetries: 0,
      logLevel: 'off',
      fetch: this.#fetch,
    });
    this.#clients.set(name, client);
    return client;
  }
}

/** The whole body. A connection that closes in the middle leaves half a reply. */
async function wholeText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    if (isLaitError(cause)) throw cause;
    throw modelError('model_reply_incomplete', 'the server sent only a part of its reply', { cause });
  }
}

/** Hands a reply that came whole to whoever wants to see it come. */
export function inOnePiece<Reply extends { reasoning: string | null; content: string | null }>(
  reply: Reply,
  onToken: SendOptions['onToken'],
): Reply {
  if (reply.reasoning !== null) onToken?.(reply.reasoning, true);
  if (reply.content !== null) onToken?.(reply.content, false);
  return reply;
}

/** Turns whatever the client threw into an error of ours that names server and model but never the key. */
function translate(
  error: unknown,
  candidate: ModelCandidate,
  baseUrl: string,
  credentials: Credentials,
): unknown {
  const inner = innermost(error);
  if (isLaitError(inner)) return inner;
  const place = { model: candidate.modelId, base_url: withoutSecrets(baseUrl) };
  const failure = error as { status?: number; headers?: Headers; error?: unknown };
  if (failure.status !== undefined) return refusal(failure, place, credentials);
  if (failure.error !== undefined && isObject(failure.error)) {
    return streamError(ownText(failure.error, 'message') ?? JSON.stringify(failure.error), null);
  }
  if (failure instanceof SyntaxError) {
    return modelError('model_stream_malformed', 'the stream carried something that is not JSON', {
      details: place,
    });
  }
  const cause = inner instanceof Error ? inner.message : String(inner);
  const code = String((inner as { code?: unknown }).code ?? cause);
  if (neverConnected.has(code)) {
    return modelError(
      'model_unreachable',
      `cannot reach ${place.base_url}: ${connectionReasons[code] ?? cause}`,
      {
        details: { ...place, reason: code },
        disposition: 'retryable',
      },
    );
  }
  return modelError('model_connection_closed', `the connection to ${place.base_url} broke off: ${cause}`, {
    details: place,
    disposition: 'retryable',
  });
}

const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'PROXY_FAILED',
  'bad port',
]);

const connectionReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there (connection refused)',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  ...Object.fromEntries(
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'].map(
      (code) => [
        code,
        'its certificate comes from an authority that is not known here; name the authority in NODE_EXTRA_CA_CERTS',
      ],
    ),
  ),
  'bad port': 'HTTP clients do not use this port',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
  CONNECT_TIMEOUT: 'the connection could not be opened in time',
};

function refusal(
  failure: { status?: number; headers?: Headers; error?: unknown },
  place: { model: string; base_url: string },
  credentials: Credentials,
) {
  const status = failure.status!;
  const error = isObject(failure.error) ? failure.error : {};
  const said = ownText(error, 'message') ?? `status ${status}`;
  const body = ownText(error, 'body') ?? '';
  const hint =
    [401, 403].includes(status) && credentials.keyWithheld
      ? '; the top-level api_key is only sent to the server of the top-level base_url: give the alias its own'
      : '';
  const retryAfterSeconds = retryAfter(failure.headers?.get('retry-after') ?? null);
  const wait = retryAfterSeconds === undefined ? '' : `; it asks to wait ${Math.ceil(retryAfterSeconds)} s`;
  return modelError(codeOf(status), `${place.base_url} answered ${status}: ${said}${hint}${wait}`, {
    text: body === '' ? null : body,
    details: { ...place, status, ...(looksLikeHtml(body) ? { html: true } : {}) },
    disposition: status >= 500 || status === 429 || status === 408 ? 'retryable' : 'terminal',
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function codeOf(status: number): ModelErrorCode {
  if (status === 401 || status === 403) return 'model_authentication_failed';
  if (status === 404) return 'model_not_found';
  if (status === 429) return 'model_rate_limited';
  // 408: the server gave up waiting, which is its trouble and not the request's.
  return status >= 500 || status === 408 ? 'model_server_error' : 'model_request_refused';
}

/** Seconds, or an HTTP date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header)
    : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The error at the bottom of the chain of causes. */
function innermost(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 10; depth += 1) {
    if (isLaitError(current)) return current;
    const cause =
      isObject(current) || current instanceof Error ? (current as { cause?: unknown }).cause : undefined;
    if (cause === undefined || cause === null) return current;
    current = cause;
  }
  return current;
}

function withoutSecrets(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href.replace(/\/$/, '');
}
