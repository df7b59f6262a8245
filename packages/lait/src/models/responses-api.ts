import type { ChatMessage, ModelCandidate, ModelRequest } from '../kinds/services.js';
import type { ModelEntry } from '../plan/settings.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import { modelError } from './model-error.js';
import { ownText } from './own-text.js';
import { promptedMessages, structuredOutputMode } from './prompted-schema.js';
import { judge, parseBody, type RawReply } from './read-completion.js';
import { normalizeUsage } from './usage.js';

/**
 * The body of a request to `/responses`, for models that are only offered there. Tools and images are refused before
 * anything is sent; a streamed reply comes in one piece. Source: facts §4.
 */
export function responsesBody(request: ModelRequest, { modelId, entry }: ModelCandidate): JsonObject {
  const { model, messages, tools } = request;
  const refused =
    tools !== undefined && tools.length > 0
      ? 'tools'
      : messages.some((message) => Array.isArray(message.content))
        ? 'images'
        : undefined;
  if (refused !== undefined) {
    throw modelError(
      'model_api_unsupported',
      `model '${modelId}' uses \`api: responses\`, which is not used with ${refused}`,
    );
  }
  return {
    model: modelId,
    input: promptedMessages(request, entry).map(inputOf),
    stream: false,
    store: false,
    ...(model.reasoning_effort === undefined ? {} : { reasoning: { effort: model.reasoning_effort } }),
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(model.top_p === undefined ? {} : { top_p: model.top_p }),
    ...(model.max_tokens === undefined ? {} : { max_output_tokens: model.max_tokens }),
    ...textFormat(request, entry),
  };
}

function textFormat({ responseFormat }: ModelRequest, entry: ModelEntry): JsonObject {
  const mode = structuredOutputMode(entry);
  if (responseFormat === undefined || mode === 'prompt') return {};
  const format =
    mode === 'json_object' ? { type: mode } : { type: 'json_schema', ...responseFormat, strict: true };
  return { text: { format } };
}

/** Reads what `/responses` answered into the shape of a chat reply. */
export function readResponse(text: string, modelId: string): RawReply {
  const body = parseBody(text);
  const output = isObject(body) ? ownProperty(body, 'output') : undefined;
  if (!isObject(body) || !Array.isArray(output)) {
    throw modelError('model_reply_malformed', 'the server answered JSON that is no response', { text });
  }
  const items = output.filter(isObject);
  const parts = items.filter((item) => item.type === 'message').flatMap((item) => partsOf(item, 'content'));
  const summaries = items
    .filter((item) => item.type === 'reasoning')
    .flatMap((item) => partsOf(item, 'summary'));
  const incomplete = ownProperty(body, 'incomplete_details');
  const reason = isObject(incomplete) ? ownText(incomplete, 'reason') : null;
  return judge({
    content: joined(parts, 'text'),
    refusal: joined(parts, 'refusal'),
    reasoning: joined(summaries, 'text'),
    toolCalls: [],
    finishReason: reason === null ? 'stop' : reason === 'max_output_tokens' ? 'length' : reason,
    usage: normalizeUsage(ownProperty(body, 'usage')),
    model: ownText(body, 'model') ?? modelId,
  });
}

function inputOf(message: ChatMessage): JsonValue {
  return { role: message.role, content: message.content as string };
}

function partsOf(item: JsonObject, key: string): JsonObject[] {
  const parts = ownProperty(item, key);
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

function joined(parts: readonly JsonObject[], key: string): string | null {
  const texts = parts.map((part) => ownText(part, key)).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('');
}
