import { setTimeout as delay } from 'node:timers/promises';
import { StepError, UsageError } from '../../../errors/errors.js';
import { isParked, isTerminal, type RunStatus } from '../../../runs/run-status.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';

/** A server did not do what it was asked for. */
class ServerError extends StepError {}

export interface ServerClientOptions {
  url: string;
  token: string | undefined;
  signal: AbortSignal;
}

/** How often a server that went away while a run was followed is asked again, and after how long each time. */
const attempts = 10;
const waitMilliseconds = 1000;

/** Asks a lait server. Throws a `ServerError` with what its problem document says. */
export class ServerClient {
  readonly #base: URL;

  /** Throws a `UsageError` (code `server_url_invalid`). */
  constructor(private readonly options: ServerClientOptions) {
    const { url } = options;
    let base: URL | undefined;
    try {
      base = new URL(url.endsWith('/') ? url : `${url}/`);
    } catch {
      // Told below.
    }
    if (base === undefined || !/^https?:$/.test(base.protocol))
      throw new UsageError({
        code: 'server_url_invalid',
        message: `--server must be an address like http://127.0.0.1:4747, not '${url}'`,
      });
    this.#base = base;
  }

  async ask(method: string, path: string, body?: JsonValue): Promise<JsonObject> {
    const response = await this.#send(method, path, body);
    const text = await response.text();
    let answer: unknown;
    try {
      answer = text === '' ? {} : JSON.parse(text);
    } catch {
      answer = undefined;
    }
    if (response.ok && isObject(answer)) return answer;
    throw problem(response.status, isObject(answer) ? answer : {}, this.options.url);
  }

  /**
   * The events of a run from behind the given one on, and with `tokens` what models write meanwhile; ends when the run
   * has ended or waits. A server that goes away meanwhile is waited for, as long as a restart takes.
   */
  async *events(runId: string, after: number, tokens: boolean): AsyncGenerator<JsonObject> {
    const { signal } = this.options;
    let last = after;
    // A server that was never there is told at once.
    for (let left = 0; ; ) {
      try {
        for await (const event of this.#stream(runId, last, tokens)) {
          if (typeof event.seq === 'number') last = event.seq;
          left = attempts;
          yield event;
        }
        // A server that stops ends its streams, too.
        const { status } = await this.ask('GET', `v1/runs/${encodeURIComponent(runId)}`);
        if (isTerminal(status as RunStatus) || isParked(status as RunStatus)) return;
      } catch (error) {
        if (!(error instanceof ServerError) || left === 0) throw error;
        left -= 1;
      }
      await delay(waitMilliseconds, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }

  async *#stream(runId: string, after: number, tokens: boolean): AsyncGenerator<JsonObject> {
    const query = `until=parked&tokens=${tokens}&last_event_id=${after}`;
    const path = `v1/runs/${encodeURIComponent(runId)}/events?${query}`;
    const response = await this.#send('GET', path);
    if (!response.ok || response.body === null) {
      const told: unknown = await response.json().catch(() => ({}));
      throw problem(response.status, isObject(told) ? told : {}, this.options.url);
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of this.#partsOf(response.body)) {
      const frames = (rest + decoder.decode(part, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) yield JSON.parse(data) as JsonObject;
      }
    }
  }

  async *#partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body as unknown as AsyncIterable<Uint8Array>;
    } catch (cause) {
      this.options.signal.throwIfAborted();
      throw this.#unreachable(cause);
    }
  }

  #unreachable(cause: unknown): ServerError {
    const message = `the server ${this.options.url} cannot be reached`;
    return new ServerError({ code: 'server_unreachable', message, cause });
  }

  async #send(method: string, path: string, body?: JsonValue): Promise<Response> {
    const { token, signal } = this.options;
    try {
      return await fetch(new URL(path, this.#base), {
        method,
        signal,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      signal.throwIfAborted();
      throw this.#unreachable(cause);
    }
  }
}

function problem(status: number, { code, detail, status: _status, ...more }: JsonObject, url: string): Error {
  const message = typeof detail === 'string' ? detail : `${url} answered with status ${status}`;
  const hint = status === 401 ? '; set LAIT_TOKEN' : '';
  const options = {
    code: typeof code === 'string' ? code : 'server_failed',
    message: message + hint,
    details: more,
  };
  return status < 500 && status !== 429 ? new UsageError(options) : new ServerError(options);
}
