import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

const texts = new WeakMap<Response, string>();

/** A response with a text that `sendText` writes. */
export function textResponse(
  text: string,
  init: { status: number; headers: Record<string, string> },
): Response {
  const response = new Response(null, init);
  texts.set(response, text);
  return response;
}

/**
 * Writes the text of a `textResponse` in one piece; others are given back as they are. A text in a `Response` is a stream,
 * and making and reading it costs more than the rest of a small answer.
 */
export function sendText(response: Response, outgoing: ServerResponse): Response {
  const text = texts.get(response);
  if (text === undefined) return response;
  const headers: Record<string, string | number> = Object.fromEntries(response.headers);
  headers['content-length'] = Buffer.byteLength(text);
  outgoing.writeHead(response.status, headers);
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}
