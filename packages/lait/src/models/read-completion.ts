import type { ModelReply, ToolCall } from '../kinds/services.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import { modelError } from './model-error.js';
import { ownText } from './own-text.js';
import { looksLikeHtml } from './reply-body.js';
import { normalizeUsage } from './usage.js';

/** A reply as it came, before it is judged. */
export type RawReply = Omit<ModelReply, 'source'>;

/** Reads the body of a chat completion. Throws a `ModelError` for a page, half a body, or JSON of another shape. */
export function readCompletion(text: string, modelId: string): RawReply {
  const body = parseBody(text);
  const choices = isObject(body) ? ownProperty(body, 'choices') : undefined;
  if (isObject(body) && !Array.isArray(choices)) refuseError(body);
  if (!isObject(body) || !Array.isArray(choices)) {
    throw modelError('model_reply_malformed', 'the server answered JSON that is no chat completion', {
      text,
    });
  }
  const choice = choices[0];
  if (choice === undefined) {
    throw modelError('model_reply_empty', 'the model answered without choices', { text });
  }
  const message = isObject(choice) ? ownProperty(choice, 'message') : undefined;
  if (!isObject(choice) || !isObject(message)) {
    throw modelError('model_reply_malformed', 'the server answered a choice without a message', { text });
  }
  refuseError(choice);
  const model = ownProperty(body, 'model');
  return judge({
    content: contentOf(message),
    refusal: ownText(message, 'refusal'),
    reasoning: ownText(message, 'reasoning') ?? ownText(message, 'reasoning_content'),
    toolCalls: toolCallsOf(message),
    finishReason: ownText(choice, 'finish_reason'),
    usage: normalizeUsage(ownProperty(body, 'usage')),
    model: typeof model === 'string' ? model : modelId,
  });
}

/** Refuses what is no usable answer: a refusal, a cut or filtered text, nothing at all. Source: facts §4, FR-20. */
export function judge({ refusal, ...reply }: RawReply & { refusal: string | null }): RawReply {
  const details = {
    ...(reply.usage === null ? {} : { usage: { ...reply.usage } }),
    ...(reply.finishReason === null ? {} : { finish_reason: reply.finishReason }),
  };
  const text = reply.content;
  if (refusal !== null && refusal !== '') {
    throw modelError('model_reply_refused', `the model refused: ${oneLine(refusal)}`, {
      text: refusal,
      details,
    });
  }
  if (reply.finishReason === 'content_filter') {
    throw modelError('model_reply_filtered', "the reply was cut by the server's content filter", {
      text,
      details,
    });
  }
  if (reply.finishReason === 'length') {
    const message = `the reply was cut off at the token limit (finish_reason: length); raise max_tokens or ask for less${saying(text)}`;
    throw modelError('model_reply_truncated', message, { text, details });
  }
  if (reply.toolCalls.length === 0 && (text === null || text.trim() === '')) {
    const message =
      reply.reasoning === null ? 'the model answered nothing' : 'the model reasoned but answered nothing';
    throw modelError('model_reply_empty', message, { text: reply.reasoning, details });
  }
  return reply;
}

/** Parses a body that should be JSON; says what it is when it is not. */
export function parseBody(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') throw modelError('model_reply_empty', 'the server answered with an empty body');
    if (looksLikeHtml(text)) {
      throw modelError(
        'model_reply_html',
        'the server answered an HTML page instead of a chat completion; check base_url',
        {
          text,
        },
      );
    }
    if (/^\s*\{/.test(text) && !/\}\s*$/.test(text)) {
      throw modelError('model_reply_incomplete', 'the server sent only a part of its reply', {
        text,
        cause: error,
      });
    }
    throw modelError('model_reply_not_json', 'the server answered something that is not JSON', {
      text,
      cause: error,
    });
  }
}

/** Routers answer 200 and put the failure of the provider behind them into the body or into the choice. */
function refuseError(place: JsonObject): void {
  const error = ownProperty(place, 'error');
  if (!isObject(error)) return;
  const message = ownText(error, 'message') ?? JSON.stringify(error);
  const status = Number(ownProperty(error, 'code') ?? ownProperty(error, 'status'));
  const code =
    status === 429
      ? 'model_rate_limited'
      : status >= 400 && status < 500
        ? 'model_request_refused'
        : 'model_server_error';
  throw modelError(code, `the server answered with an error: ${oneLine(message)}`, {
    text: message,
    disposition: code === 'model_request_refused' ? 'terminal' : 'retryable',
  });
}

/** Text, or a list of text parts as some servers send it. */
export function contentOf(message: JsonObject): string | null {
  const content = ownProperty(message, 'content');
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const parts = content.map((part) => (isObject(part) ? ownText(part, 'text') : null) ?? '');
  return parts.join('');
}

function toolCallsOf(message: JsonObject): ToolCall[] {
  const calls = ownProperty(message, 'tool_calls');
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call, index) => {
    const details = ownProperty(call, 'function');
    const arguments_ = isObject(details) ? ownProperty(details, 'arguments') : undefined;
    return {
      id: ownText(call, 'id') || `call_${index}`,
      type: 'function',
      function: {
        name: (isObject(details) ? ownText(details, 'name') : null) ?? '',
        // Some servers send the arguments as an object.
        arguments: typeof arguments_ === 'string' ? arguments_ : JSON.stringify(arguments_ ?? {}),
      },
    };
  });
}

/** The beginning of what was said, for a message; the whole of it is in the details. */
function saying(text: string | null): string {
  return text === null || text.trim() === '' ? '' : `; it began: ${oneLine(text)}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
