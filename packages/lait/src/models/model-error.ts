import { ModelError } from '../errors/errors.js';
import type { ErrorDisposition } from '../errors/lait-error.js';
import type { JsonValue } from '../values/value.js';

/** Longest piece of a server's or a model's text that an error keeps, in characters. */
const maxKeptText = 16_384;

/** Every code of a failed model call; each means one thing. */
export type ModelErrorCode =
  | 'model_unreachable'
  | 'model_connection_closed'
  | 'model_authentication_failed'
  | 'model_not_found'
  | 'model_rate_limited'
  | 'model_server_error'
  | 'model_request_refused'
  | 'model_reply_empty'
  | 'model_reply_truncated'
  | 'model_reply_refused'
  | 'model_reply_filtered'
  | 'model_reply_html'
  | 'model_reply_not_json'
  | 'model_reply_incomplete'
  | 'model_reply_malformed'
  | 'model_reply_too_large'
  | 'model_stream_empty'
  | 'model_stream_error'
  | 'model_stream_incomplete'
  | 'model_stream_malformed'
  | 'model_api_unsupported';

export interface ModelErrorOptions {
  disposition?: ErrorDisposition;
  retryAfterSeconds?: number;
  /** What the model or the server had said. */
  text?: string | null;
  details?: Record<string, JsonValue>;
  cause?: unknown;
}

/** Makes a model error that keeps what was said in `details.text`, cut to a sane length. */
export function modelError(
  code: ModelErrorCode,
  message: string,
  options: ModelErrorOptions = {},
): ModelError {
  const { text, details, ...rest } = options;
  return new ModelError({
    code,
    message,
    ...rest,
    details: { ...details, ...(text === undefined || text === null ? {} : { text: keep(text) }) },
  });
}

/** What `withDeadline` says about a server that takes too long. */
export function modelTimeout(seconds: number) {
  return {
    code: 'model_timeout',
    message: `the model server did not answer within ${seconds} s`,
    disposition: 'retryable',
  } as const;
}

/** Codes after which the same server may well answer a second request. */
const repeatable: ReadonlySet<string> = new Set([
  'model_connection_closed',
  'model_rate_limited',
  'model_server_error',
  'model_reply_incomplete',
]);

/** Codes after which another server should be asked. Source: facts §4. */
const replaceable: ReadonlySet<string> = new Set([...repeatable, 'model_unreachable', 'model_timeout']);

/** True for an error code after which the same request may succeed. */
export function mayRepeat(code: string): boolean {
  return repeatable.has(code);
}

/** True for an error code after which the next model of an alias may succeed. */
export function mayFallBack(code: string): boolean {
  return replaceable.has(code);
}

function keep(text: string): string {
  return text.length <= maxKeptText ? text : `${text.slice(0, maxKeptText)}… [${text.length} characters]`;
}
