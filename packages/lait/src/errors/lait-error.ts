import type { JsonValue } from '../values/value.js';

const brand = Symbol.for('lait.error');

/**
 * What an error belongs to; decides the exit code of the command line (0 ok is no error):
 * `failed` 1, `usage` 2, `definition` 3, `model` 4, `timeout` 5, `cancelled` 130.
 */
export type ErrorCategory = 'failed' | 'usage' | 'definition' | 'model' | 'timeout' | 'cancelled';

/** What a client may do by itself after the error. */
export type ErrorDisposition = 'terminal' | 'retryable' | 'cancelled';

export interface LaitErrorOptions {
  /** Stable snake_case identifier, part of the public interface. */
  code: string;
  message: string;
  /** Default: the category of the cause when it is one of ours, else `failed`. */
  category?: ErrorCategory;
  /** Default: the disposition of the cause when it is one of ours, else `terminal`. */
  disposition?: ErrorDisposition;
  /** How long a server asked to wait before a retry, in seconds. */
  retryAfterSeconds?: number;
  /** Facts for programs: JSON only, and never a secret. */
  details?: Record<string, JsonValue>;
  cause?: unknown;
}

/** The base of every error that lait throws on purpose. Recognise it with `isLaitError`, across realms and copies. */
export class LaitError extends Error {
  readonly code: string;
  readonly category: ErrorCategory;
  readonly disposition: ErrorDisposition;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Record<string, JsonValue>;

  constructor(options: LaitErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    const cause = isLaitError(options.cause) ? options.cause : undefined;
    this.name = new.target.name;
    this.code = options.code;
    this.category = options.category ?? cause?.category ?? 'failed';
    this.disposition = options.disposition ?? cause?.disposition ?? 'terminal';
    this.retryAfterSeconds = options.retryAfterSeconds ?? cause?.retryAfterSeconds;
    this.details = options.details ?? {};
  }

  get [brand](): true {
    return true;
  }
}

/** True for errors of this family, whichever copy of the library made them. */
export function isLaitError(error: unknown): error is LaitError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[brand] === true;
}

/** The message of an error and of its causes, outermost first, joined by `: `; a repeated message is left out. */
export function messageChain(error: unknown): string {
  const messages: string[] = [];
  const seen = new Set<unknown>();
  for (let current = error; current !== undefined && current !== null && !seen.has(current); ) {
    seen.add(current);
    const message = current instanceof Error || isLaitError(current) ? current.message : String(current);
    if (message !== '' && !messages.some((earlier) => earlier.endsWith(message))) messages.push(message);
    current = typeof current === 'object' ? (current as { cause?: unknown }).cause : undefined;
  }
  return messages.join(': ');
}
