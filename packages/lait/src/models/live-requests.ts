import { ModelError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { ModelCallOptions, ModelCandidate, ModelRequest } from '../kinds/services.js';
import type { SecretRegistry } from '../values/secrets.js';
import { askServer } from './ask-server.js';
import { credentialsOf } from './credentials.js';
import { Endpoint } from './endpoint.js';
import { mayFallBack, mayRepeat } from './model-error.js';
import type { ModelServiceOptions } from './model-options.js';
import { type Permit, processRateLimits, type RateLimits } from './rate-limits.js';
import type { RawReply } from './read-completion.js';
import { reachableUrl } from './resolve-model.js';

/** Requests to one server for one reply: one and two repetitions, or four when the server says when to come back. */
const maxAttempts = 3;
const maxAnnouncedAttempts = 5;
/** A server that asks for a longer wait is not waited for: another one is asked, or the step fails. */
const longestWaitSeconds = 60;
/** From here on somebody who watches is told why nothing happens. */
const longWaitSeconds = 2;

/**
 * Asks the servers of a model until one answers. A server is asked again after a lost connection, 5xx or 429; the next
 * one is asked when it still fails, when it cannot be reached, or when it takes too long. Everything else fails at
 * once. Source: facts §4.
 */
export class LiveRequests {
  readonly #options: ModelServiceOptions;
  /** By provider, or by the options for models without one: where a request goes depends on nothing else. */
  readonly #endpoints = new WeakMap<object, Endpoint>();
  readonly #limits: RateLimits;

  constructor(options: ModelServiceOptions) {
    this.#options = options;
    this.#limits = options.rateLimits ?? processRateLimits;
  }

  async send(request: ModelRequest, options: ModelCallOptions): Promise<RawReply> {
    const { candidates, name } = request.model;
    const failures: { model: string; error: string }[] = [];
    for (const [index, candidate] of candidates.entries()) {
      const tokens = countTokens(options.onToken);
      try {
        return await this.#ask(candidate, request, { ...options, onToken: tokens.onToken });
      } catch (error) {
        const next = candidates[index + 1];
        // What was shown to a person cannot be taken back: another answer would be glued to it.
        const replaceable = isLaitError(error) && mayFallBack(error.code) && tokens.seen === 0;
        failures.push({ model: candidate.modelId, error: messageChain(error) });
        if (next === undefined || !replaceable)
          throw failures.length === 1 ? error : allFailed(name, failures, error);
        options.onWarning?.(
          `model '${candidate.modelId}' failed (${messageChain(error)}); asking '${next.modelId}' instead`,
        );
      }
    }
    throw new Error(`model '${name}' has no candidates`);
  }

  /** Asks one server, again where that can help. */
  async #ask(candidate: ModelCandidate, request: ModelRequest, options: ModelCallOptions): Promise<RawReply> {
    const { signal } = options;
    const known = this.#endpoints.get(candidate.entry.provider ?? this.#options);
    const endpoint = known ?? (await this.#open(candidate, signal));
    const target = {
      provider: endpoint.baseUrl,
      model: candidate.modelId,
      maxConcurrency: limitOf(candidate, 'max_concurrency'),
      requestsPerMinute: limitOf(candidate, 'requests_per_minute'),
    };
    const timeoutSeconds = this.#options.requestTimeoutSeconds ?? 300;
    for (let attempt = 1; ; attempt += 1) {
      const permit = await this.#limits.acquire(target, signal);
      const tokens = countTokens(options.onToken);
      try {
        const send = { signal, timeoutSeconds, onToken: tokens.onToken };
        const reply = await askServer(candidate, endpoint, request, send);
        permit.succeeded();
        return reply;
      } catch (thrown) {
        const error = masked(thrown, this.#options.secrets);
        const wait = waitAfter(error, attempt, tokens.seen > 0);
        report(permit, error, wait);
        if (wait === undefined) throw error;
        if (wait >= longWaitSeconds) {
          options.onWarning?.(`${messageChain(error)}; asking again in ${Math.ceil(wait)} s`);
        }
        // After a 429 everybody waits, in the limiter.
        if (!isRateLimit(error)) await this.#limits.pause(wait, signal);
      }
    }
  }

  async #open(candidate: ModelCandidate, signal: AbortSignal): Promise<Endpoint> {
    const baseUrl = reachableUrl(candidate, this.#options);
    const credentials = await credentialsOf(candidate, baseUrl, this.#options, signal);
    const endpoint = new Endpoint(baseUrl, credentials, this.#options.variables);
    this.#endpoints.set(candidate.entry.provider ?? this.#options, endpoint);
    return endpoint;
  }
}

/** Seconds to wait before asking the same server again; undefined when it should not be asked again. */
function waitAfter(error: unknown, attempt: number, shown: boolean): number | undefined {
  if (!isLaitError(error) || !mayRepeat(error.code) || shown) return undefined;
  const announced = error.retryAfterSeconds;
  if (attempt >= (announced === undefined ? maxAttempts : maxAnnouncedAttempts)) return undefined;
  if (announced === undefined) return 0.5 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  return announced > longestWaitSeconds ? undefined : announced;
}

function report(permit: Permit, error: unknown, wait: number | undefined): void {
  if (!isRateLimit(error)) {
    permit.failed();
    return;
  }
  const announced = error.retryAfterSeconds ?? 1;
  // Nobody waits for a server that wants to be left alone for long: the others find out by themselves.
  permit.limited(wait ?? (announced > longestWaitSeconds ? 0 : announced));
}

function isRateLimit(error: unknown): error is ModelError {
  return isLaitError(error) && error.code === 'model_rate_limited';
}

function countTokens(onToken: ModelCallOptions['onToken']) {
  const counter = { seen: 0, onToken: undefined as ModelCallOptions['onToken'] };
  if (onToken !== undefined) {
    counter.onToken = (text, reasoning) => {
      counter.seen += 1;
      onToken(text, reasoning);
    };
  }
  return counter;
}

/** Servers repeat what they were sent: a key must not come back in an error. */
function masked(error: unknown, secrets: SecretRegistry): unknown {
  if (!(error instanceof ModelError)) return error;
  const { code, disposition, retryAfterSeconds } = error;
  const message = secrets.mask(error.message);
  const details = secrets.maskValue(error.details);
  if (message === error.message && details === error.details) return error;
  return new ModelError({ code, message, details, disposition, retryAfterSeconds });
}

function limitOf(candidate: ModelCandidate, field: string): number | undefined {
  const value = candidate.entry[field];
  return typeof value === 'number' ? value : undefined;
}

function allFailed(name: string, failures: { model: string; error: string }[], cause: unknown): ModelError {
  const { code, retryAfterSeconds, details } = cause as ModelError;
  const tried = failures.map(({ model }) => `'${model}'`).join(', ');
  return new ModelError({
    code,
    message: `no endpoint of model '${name}' answered (asked ${tried})`,
    details: { ...details, failures },
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
