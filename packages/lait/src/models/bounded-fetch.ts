import { isObject, type JsonValue, ownProperty } from '../values/value.js';
import { modelError } from './model-error.js';

/** No reply is read beyond this size. */
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/**
 * A `fetch` for the model client around another one: no body is read without a limit, and the body of a refusal, whatever its shape, is
 * put where the client keeps it: `error.message` says what the server said, `error.body` is the text as it came.
 */
export function boundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => bounded(await send(input, init));
}

async function bounded(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (!response.ok) {
    const body = await beginningOf(response);
    return Response.json(
      { error: { message: refusalText(body, status), body } },
      { status, headers: kept(headers) },
    );
  }
  const length = headers.get('content-length');
  if (response.body === null || (length !== null && Number(length) <= maxReplyBytes)) return response;
  return new Response(response.body.pipeThrough(limiter()), { status, headers });
}

function limiter(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxReplyBytes) {
        controller.error(
          modelError('model_reply_too_large', `the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB`),
        );
      } else controller.enqueue(chunk);
    },
  });
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
      if (size > maxErrorBytes) break;
    }
  } catch {
    // The status alone says that the request failed; a body that broke off adds nothing.
  }
  return text;
}

/** The headers that say when to come back; the rest does not fit the new body. */
function kept(headers: Headers): Record<string, string> {
  const retryAfter = headers.get('retry-after');
  return retryAfter === null ? {} : { 'retry-after': retryAfter };
}

/** What the server said, wherever it put it: OpenAI, Gemini, FastAPI, Ollama, vLLM, or a page. */
function refusalText(body: string, status: number): string {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(body);
  } catch {
    return plainText(body, status);
  }
  // Gemini puts the error into a list.
  if (Array.isArray(parsed) && parsed.length === 1) parsed = parsed[0]!;
  for (const path of [['error', 'message'], ['error'], ['detail', 'message'], ['detail'], ['message']]) {
    let value: JsonValue | undefined = parsed;
    for (const key of path) value = isObject(value) ? ownProperty(value, key) : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  const problems = isObject(parsed) ? ownProperty(parsed, 'detail') : undefined;
  if (Array.isArray(problems)) {
    const messages = problems.map((problem) => (isObject(problem) ? ownProperty(problem, 'msg') : problem));
    const texts = messages.filter((message) => typeof message === 'string');
    if (texts.length > 0) return texts.join('; ');
  }
  return plainText(body, status);
}

function plainText(body: string, status: number): string {
  const text = looksLikeHtml(body) ? (/<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? '') : body;
  const oneLine = text.replace(/\s+/g, ' ').trim();
  if (oneLine === '') return `status ${status} without a message`;
  return oneLine.length > 300 ? `${oneLine.slice(0, 300)}…` : oneLine;
}

/** True for a body that begins like a web page: then the address is hardly that of an API. */
export function looksLikeHtml(text: string): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(text.slice(0, 1000));
}
