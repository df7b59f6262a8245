import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './problem.js';

/** Deeper values are refused: nothing that walks through them may run out of stack. */
const deepest = 200;

/**
 * The text of a request's body. Throws an `HttpProblem`: 413 `body_too_large` as soon as the limit is passed, 415
 * `encoding_unsupported`, 400 `body_not_utf8` and `body_incomplete`.
 */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  requireNoCoding(incoming.headers['content-encoding']);
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const bytes = await bytesOf(incoming, maxBytes);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpProblem({ status: 400, code: 'body_not_utf8', detail: 'the body is not UTF-8' });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Leaves the connection as it is when the body is too long: the answer must still reach the client. */
function bytesOf(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    const settle = (tell: () => void) => {
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      tell();
    };
    const onData = (part: Uint8Array) => {
      length += part.byteLength;
      if (length > maxBytes) settle(() => reject(tooLarge(maxBytes)));
      else parts.push(part);
    };
    const onEnd = () => settle(() => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    const onError = (cause: Error) => settle(() => reject(incomplete(cause)));
    const onClose = () => settle(() => reject(incomplete()));
    if (incoming.destroyed) return onClose();
    incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** The value of a JSON text. Throws an `HttpProblem` (400): `json_invalid`, `json_too_deep`. */
export function parseJson(text: string): unknown {
  if (depthOf(text) > deepest)
    throw new HttpProblem({
      status: 400,
      code: 'json_too_deep',
      detail: `the body is nested more than ${deepest} deep`,
    });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HttpProblem({
      status: 400,
      code: 'json_invalid',
      detail: `the body is no JSON: ${(error as Error).message}`,
    });
  }
}

/** Checks the media type of a body that is expected. Throws an `HttpProblem` (415 `media_type_unsupported`). */
export function requireMediaType(header: string | null, allowed: readonly string[]): void {
  const type = (header ?? '').split(';', 1).join('').trim().toLowerCase();
  if (
    allowed.includes(type) ||
    (allowed.includes('application/json') && /^application\/[\w.-]+\+json$/.test(type))
  )
    return;
  throw new HttpProblem({
    status: 415,
    code: 'media_type_unsupported',
    detail: `the body must be ${allowed.join(' or ')}${type === '' ? '; there is no content-type' : `, not '${type}'`}`,
  });
}

/** Compressed bodies are not read: a small one may become any size. */
function requireNoCoding(coding: string | undefined): void {
  if (coding === undefined || coding.trim().toLowerCase() === 'identity') return;
  throw new HttpProblem({
    status: 415,
    code: 'encoding_unsupported',
    detail: `the body must be sent as it is, not in the content-encoding '${coding}'`,
    headers: { 'accept-encoding': 'identity' },
  });
}

/** Nobody is left who could be told; the log says it without calling it a failure of the server. */
function incomplete(cause?: Error): HttpProblem {
  return new HttpProblem({
    status: 400,
    code: 'body_incomplete',
    detail: 'the client went away before its request was there',
    cause,
  });
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem({
    status: 413,
    code: 'body_too_large',
    detail: `the body is longer than ${maxBytes} bytes`,
    // What is still on its way is not waited for.
    headers: { connection: 'close' },
    members: { max_bytes: maxBytes },
  });
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inText) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > most) most = depth;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return most;
}
