import { ModelError } from '../errors/errors.js';
import type { ModelCandidate } from '../kinds/services.js';
import { credentialsOf } from '../models/credentials.js';
import type { ModelServiceOptions } from '../models/model-options.js';
import { providerOf } from '../models/providers.js';
import { reachableUrl } from '../models/resolve-model.js';
import { networkFetch } from '../network/network-fetch.js';
import { isObject, type JsonValue } from '../values/value.js';

const timeoutMilliseconds = 30_000;

export interface RemoteModels {
  ids: string[];
  /** Who owns them: local servers name themselves here. */
  owners: string[];
  /** The body as it came. */
  body: JsonValue;
}

/**
 * Asks a server which models it has: `GET BASE/models`. Throws a `ModelError`
 * (codes `server_unreachable`, `server_refused`, `reply_invalid`).
 */
export async function remoteModels(
  candidate: ModelCandidate,
  options: ModelServiceOptions,
  signal: AbortSignal,
): Promise<RemoteModels> {
  const baseUrl = reachableUrl(candidate, options);
  const { headers, query } = await credentialsOf(candidate, baseUrl, options, signal);
  const base = baseUrl.replace(/\/+$/, '');
  const url = providerOf(base)?.modelsUrl?.(new URL(base)) ?? new URL(`${base}/models`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  let response: Response;
  let text: string;
  try {
    response = await networkFetch(options.variables)(url, {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]),
    });
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    const reason = cause?.code === 'PROXY_FAILED' ? cause.message : (cause?.code ?? message);
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

function parseModels(text: string, baseUrl: string): RemoteModels {
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
  const texts = (key: string) =>
    list.flatMap((entry) => (isObject(entry) && typeof entry[key] === 'string' ? [entry[key]] : []));
  return { ids: texts('id'), owners: texts('owned_by'), body };
}
