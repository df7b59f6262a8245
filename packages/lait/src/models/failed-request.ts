import type { ModelError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import type { ModelCandidate } from '../kinds/services.js';
import type { ApiResponse } from '../network/post-to.js';
import { isObject } from '../values/value.js';
import type { Endpoint } from './endpoint.js';
import { type ModelErrorCode, modelError } from './model-error.js';
import { looksLikeHtml, readRefusal } from './reply-body.js';

/** Turns whatever was thrown into an error of ours that names server and model but never the key. */
export function translate(error: unknown, candidate: ModelCandidate, endpoint: Endpoint): unknown {
  const inner = innermost(error);
  if (isLaitError(inner)) return inner;
  const place = placeOf(candidate, endpoint);
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
  // The same again next time.
  if (headersOverflow.has(code)) {
    return modelError('model_reply_too_large', `${place.base_url} answered with more than 16 kB of headers`, {
      details: place,
    });
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

/** Of Node's client, and of `fetch`. */
const headersOverflow: ReadonlySet<string> = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW']);

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

/** What a server said that refused a request: code by its status, its words, and when to come back. */
export async function refusal(
  response: ApiResponse,
  candidate: ModelCandidate,
  endpoint: Endpoint,
): Promise<ModelError> {
  const { status } = response;
  const place = placeOf(candidate, endpoint);
  const { message, body } = await readRefusal(response);
  const hint =
    [401, 403].includes(status) && endpoint.keyWithheld
      ? '; the top-level api_key is only sent to the server of the top-level base_url: give the alias its own'
      : '';
  const retryAfterSeconds = retryAfter(response.header('retry-after'));
  const wait = retryAfterSeconds === undefined ? '' : `; it asks to wait ${Math.ceil(retryAfterSeconds)} s`;
  const location = status >= 300 && status < 400 ? response.header('location') : null;
  const moved = location === null ? '' : `; it points to ${location.slice(0, 300)}: is that the base_url?`;
  return modelError(
    codeOf(status),
    `${place.base_url} answered ${status}: ${message}${hint}${wait}${moved}`,
    {
      text: body === '' ? null : body,
      details: { ...place, status, ...(looksLikeHtml(body) ? { html: true } : {}) },
      disposition: status >= 500 || status === 429 || status === 408 ? 'retryable' : 'terminal',
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  );
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

function placeOf({ modelId }: ModelCandidate, { baseUrl }: Endpoint) {
  return { model: modelId, base_url: withoutSecrets(baseUrl) };
}

function withoutSecrets(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href.replace(/\/$/, '');
}
