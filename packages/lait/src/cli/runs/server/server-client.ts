import { StepError, UsageError } from '../../../errors/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';

/** A server did not do what it was asked for. */
class ServerError extends StepError {}

export interface ServerClientOptions {
  url: string;
  token: string | undefined;
  signal: AbortSignal;
}

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
   * has ended or waits.
   */
  async *events(runId: string, after: number, tokens: boolean): AsyncGenerator<JsonObject> {
    const query = `until=parked&tokens=${tokens}&last_event_id=${after}`;
    const path = `v1/runs/${encodeURIComponent(runId)}/events?${query}`;
    const response = await this.#send('GET', path);
    if (!response.ok || response.body === null) {
      const told: unknown = await response.json().catch(() => ({}));
      throw problem(response.status, isObject(told) ? told : {}, this.options.url);
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      const frames = (rest + decoder.decode(part, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) yield JSON.parse(data) as JsonObject;
      }
    }
  }

  async #send(method: string, path: string, body?: JsonValue): Promise<Response> {
    const { url, token, signal } = this.options;
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
      throw new ServerError({
        code: 'server_unreachable',
        message: `the server ${url} cannot be reached`,
        cause,
      });
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
