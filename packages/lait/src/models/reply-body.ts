import { type ApiResponse, BodyTooLargeError } from '../network/post-to.js';
import { isObject, type JsonValue, ownProperty } from '../values/value.js';
import { modelError } from './model-error.js';

/** No reply is read beyond this size. */
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/** The whole body of a reply. Throws a `ModelError` (code `model_reply_too_large`), or what broke it off. */
export async function wholeBody(response: ApiResponse): Promise<string> {
  try {
    return await response.text(maxReplyBytes);
  } catch (error) {
    throw error instanceof BodyTooLargeError ? tooLarge() : error;
  }
}

/** The body of a reply as it comes, within the limit of `wholeBody`. */
export async function* streamedBody(response: ApiResponse): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of response.body) {
      size += piece.byteLength;
      if (size > maxReplyBytes) throw tooLarge();
      yield piece;
    }
  } finally {
    response.release();
  }
}

function tooLarge() {
  return modelError('model_reply_too_large', `the reply is larger than ${maxReplyBytes / 1024 / 1024} MiB`);
}

/** What a server said that refused a request, whatever the shape, and the beginning of the text as it came. */
export async function readRefusal(response: ApiResponse): Promise<{ message: string; body: string }> {
  const body = await beginningOf(response);
  return { message: refusalText(body, response.status), body };
}

async function beginningOf(response: ApiResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const piece of response.body) {
      size += piece.byteLength;
      text += decoder.decode(piece, { stream: true });
      if (size > maxErrorBytes) break;
    }
  } catch {
    // The status alone says that the request failed; a body that broke off adds nothing.
  } finally {
    response.release();
  }
  return text;
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
