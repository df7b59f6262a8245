import type { Dispatcher, RequestInfo, RequestInit as UndiciRequestInit } from 'undici';
import { proxyFor } from './proxy-for.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Agents keep connections open, so equal proxies share one for the life of the process. */
const agents = new Map<string, Promise<Dispatcher>>();

/** A request that did not get past the proxy; `message` says which one. */
class ProxyError extends Error {
  readonly code = 'PROXY_FAILED';
}

/**
 * A `fetch` that goes through the proxy that the variables name. The client that can do so is loaded with the first
 * address that needs it. Certificates of `NODE_EXTRA_CA_CERTS` are known to both. A proxy that fails is the `cause` of
 * the error (code `PROXY_FAILED`); names and passwords in its address are left out.
 */
export function networkFetch(variables: Variables): typeof fetch {
  return async (input, init) => {
    const proxy = proxyFor(input instanceof Request ? input.url : input, variables);
    if (proxy === undefined) return fetch(input, init);
    const { fetch: fetchThrough } = await import('undici');
    try {
      const response = await fetchThrough(
        input as RequestInfo,
        { ...init, dispatcher: await agentOf(proxy) } as UndiciRequestInit,
      );
      return response as unknown as Response;
    } catch (error) {
      throw explained(error, proxy);
    }
  };
}

async function agentOf(proxy: string): Promise<Dispatcher> {
  let agent = agents.get(proxy);
  if (agent === undefined) {
    agent = makeAgent(proxy);
    agents.set(proxy, agent);
    agent.catch(() => agents.delete(proxy));
  }
  return agent;
}

async function makeAgent(proxy: string): Promise<Dispatcher> {
  const { ProxyAgent } = await import('undici');
  if (!URL.canParse(proxy) || !/^https?:$/.test(new URL(proxy).protocol)) {
    throw new ProxyError(
      `the proxy '${shown(proxy)}' is not an http(s) URL: look at HTTPS_PROXY and HTTP_PROXY`,
    );
  }
  // Proxies often open tunnels to port 443 only: plain HTTP is forwarded instead.
  return new ProxyAgent({ uri: proxy, proxyTunnel: false });
}

/** Tells failures of the proxy from failures of the server behind it. */
function explained(error: unknown, proxy: string): unknown {
  const messages: string[] = [];
  let code: unknown;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ProxyError) return new TypeError('fetch failed', { cause: current });
    messages.push(current.message);
    code = (current as { code?: unknown }).code ?? code;
  }
  const said = messages.find((message) => /proxy/i.test(message));
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    String(code),
  );
  if (said === undefined && !unreachable) return error;
  const reason = unreachable ? `cannot be reached (${code})` : `refused: ${said}`;
  return new TypeError('fetch failed', { cause: new ProxyError(`the proxy ${shown(proxy)} ${reason}`) });
}

function shown(proxy: string): string {
  if (!URL.canParse(proxy)) return proxy.replace(/^.*@/, '');
  const url = new URL(proxy);
  return url.host === '' ? proxy.replace(/^.*@/, '') : `${url.protocol}//${url.host}`;
}
