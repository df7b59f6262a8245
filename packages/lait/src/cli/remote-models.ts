import { ModelError } from '../errors/errors.js';
import type { ModelCandidate } from '../kinds/services.js';
import { credentialsOf } from '../models/credentials.js';
import type { ModelServiceOptions } from '../models/model-options.js';
import { reachableUrl } from '../models/resolve-model.js';
import { isObject, type JsonValue } from '../values/value.js';

const timeoutMilliseconds = 30_000;

/**
 * Asks a server which models it has: `GET BASE/models`. Gives the ids and the body as it came. Throws a `ModelError`
 * (codes `server_unreachable`, `server_refused`, `reply_invalid`).
 */
export async function remoteModels(
  candidate: ModelCandidate,
  options: ModelServiceOptions,
  signal: AbortSignal,
): Promise<{ ids: string[]; body: JsonValue }> {
  const baseUrl = reachableUrl(candidate, options);
  const { apiKey, headers, query } = await credentialsOf(candidate, baseUrl, options, signal);
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/models`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]),
    });
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    const reason = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
    throw new ModelError({ code: 'server_unreachable', message: `cannot reach ${baseUrl}: ${reason}` });
  }
  if (!response.ok) {
    throw new ModelError({
      code: 'server_refused',
      message: `${baseUrl} answered ${response.status} ${response.statusText}`.trimEnd(),
      details: { status: response.status },
    });
  }
  return { ...parseModels(text, baseUrl) };
}

function parseModels(text: string, baseUrl: string): { ids: string[]; body: JsonValue } {
  let body: JsonValue;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ModelError({
      code: 'reply_invalid',
      message: `${baseUrl} answered /models with something that is no JSON`,
    });
  }
  const list = isObject(body) && Array.isArray(body.data) ? body.data : [];
  const ids = list.flatMap((entry) => (isObject(entry) && typeof entry.id === 'string' ? [entry.id] : []));
  return { ids, body };
}
