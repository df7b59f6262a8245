import { isLaitError } from '../errors/lait-error.js';
import { withDeadline } from '../errors/with-deadline.js';
import type { ModelCandidate, ModelRequest } from '../kinds/services.js';
import type { ApiResponse } from '../network/post-to.js';
import type { Endpoint } from './endpoint.js';
import { refusal, translate } from './failed-request.js';
import { modelError, modelTimeout } from './model-error.js';
import { type RawReply, readCompletion } from './read-completion.js';
import { readStream } from './read-stream.js';
import { streamedBody, wholeBody } from './reply-body.js';
import { chatBody } from './request-body.js';
import { readResponse, responsesBody } from './responses-api.js';
import { streamChunks } from './stream-chunks.js';

export interface SendOptions {
  signal: AbortSignal;
  timeoutSeconds: number;
  /** Present: the reply is streamed. */
  onToken?: (text: string, reasoning: boolean) => void;
}

/**
 * Sends one request to a server with OpenAI's interface. One HTTP request each: repeating is left to the caller, who can
 * be cancelled while waiting and slows down together with others. Throws a `ModelError` with one of the codes of
 * `model-error.ts`, or a `TimeoutError` (code `model_timeout`).
 */
export function askServer(
  candidate: ModelCandidate,
  endpoint: Endpoint,
  request: ModelRequest,
  options: SendOptions,
): Promise<RawReply> {
  const { timeoutSeconds } = options;
  return withDeadline(timeoutSeconds, options.signal, modelTimeout(timeoutSeconds), async (signal) => {
    try {
      return await exchange(candidate, endpoint, request, { ...options, signal });
    } catch (error) {
      throw translate(error, candidate, endpoint);
    }
  });
}

async function exchange(
  candidate: ModelCandidate,
  endpoint: Endpoint,
  request: ModelRequest,
  { signal, onToken }: SendOptions,
): Promise<RawReply> {
  const { modelId, entry } = candidate;
  const accepted = async (path: string, body: object) => {
    const response = await endpoint.post(path, body, signal);
    if (!response.ok) throw await refusal(response, candidate, endpoint);
    return response;
  };
  if (entry.api === 'responses') {
    const response = await accepted('/responses', responsesBody(request, candidate));
    return inOnePiece(readResponse(await wholeText(response), modelId), onToken);
  }
  const body = chatBody(request, candidate, onToken !== undefined);
  const response = await accepted('/chat/completions', body);
  // A server that knows no streaming answers in one piece; a page is no stream either.
  if (onToken === undefined || /\bjson\b|html/i.test(response.header('content-type') ?? '')) {
    return inOnePiece(readCompletion(await wholeText(response), modelId), onToken);
  }
  const reply = await readStream(streamChunks(streamedBody(response)), modelId, onToken);
  signal.throwIfAborted();
  return reply;
}

/** The whole body. A connection that closes in the middle leaves half a reply. */
async function wholeText(response: ApiResponse): Promise<string> {
  try {
    return await wholeBody(response);
  } catch (cause) {
    if (isLaitError(cause)) throw cause;
    throw modelError('model_reply_incomplete', 'the server sent only a part of its reply', { cause });
  }
}

/** Hands a reply that came whole to whoever wants to see it come. */
export function inOnePiece<Reply extends { reasoning: string | null; content: string | null }>(
  reply: Reply,
  onToken: SendOptions['onToken'],
): Reply {
  if (reply.reasoning !== null) onToken?.(reply.reasoning, true);
  if (reply.content !== null) onToken?.(reply.content, false);
  return reply;
}
