import type { ApiPost, ApiRequest, ApiResponse } from './post-to.js';

const maxRedirects = 5;

/** All that another origin is told: keys have headers of any name. */
const harmlessHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

/**
 * Posts to `url`, with what `sender` gives for an address, and to where servers say that it has moved, as long as the
 * request stays the same (307 and 308); to another origin without keys. Every other redirect is a reply.
 */
export function followingRedirects(url: URL, sender: (place: URL) => ApiPost): ApiPost {
  const post = sender(url);
  return async (request) => {
    let reply = await post(request);
    let place = url;
    let { headers } = request;
    for (let count = 0; count < maxRedirects; count += 1) {
      const next = targetOf(reply, place);
      if (next === undefined) break;
      reply.release();
      if (next.origin !== place.origin) headers = withoutKeys(headers);
      place = next;
      reply = await sender(place)({ ...request, headers });
    }
    return reply;
  };
}

function targetOf(reply: ApiResponse, from: URL): URL | undefined {
  if (reply.status !== 307 && reply.status !== 308) return undefined;
  const location = reply.header('location');
  if (location === null || !URL.canParse(location, from.href)) return undefined;
  const target = new URL(location, from);
  return /^https?:$/.test(target.protocol) ? target : undefined;
}

function withoutKeys(headers: ApiRequest['headers']): ApiRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeaders.has(name)));
}
