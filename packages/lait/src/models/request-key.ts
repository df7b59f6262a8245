import { createHash } from 'node:crypto';
import type { ModelRequest } from '../kinds/services.js';
import { canonicalJson } from '../values/canonical-json.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';

/** Changes when equal requests get other keys than before. */
const keyVersion = 1;

/**
 * What makes two requests the same one: base URL and model of the preferred endpoint, sampling, messages, tools and
 * response format. Neither keys, headers nor fallback endpoints are part of it, and images stand as digests. What is
 * stored of it is masked when it is written: only then every key is known. Source: facts §18, field report FR-35.
 */
export function describeRequest(request: ModelRequest): JsonObject {
  const { model, messages, tools, responseFormat } = request;
  const first = model.candidates[0]!;
  const sampling = {
    reasoning_effort: model.reasoning_effort,
    temperature: model.temperature,
    top_p: model.top_p,
    max_tokens: model.max_tokens,
  };
  return {
    base_url: first.baseUrl,
    model: first.modelId,
    ...(first.entry.api === undefined || first.entry.api === 'chat_completions'
      ? {}
      : { api: String(first.entry.api) }),
    ...Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
    messages: digestImages(messages as unknown as JsonValue),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools as unknown as JsonValue }),
    ...(responseFormat === undefined ? {} : { response_format: { ...responseFormat } }),
  };
}

/** The name of a described request: independent of key order and of white space in JSON. */
export function requestKey(description: JsonObject): string {
  return createHash('sha256')
    .update(`lait-request-${keyVersion}\n`)
    .update(canonicalJson(description))
    .digest('hex')
    .slice(0, 40);
}

/** A digest of each named part of a request, by which two requests are compared without keeping their texts. */
export function partDigests(description: JsonObject): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [part, value] of partsOf(description)) {
    digests[part] = createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 16);
  }
  return digests;
}

/** The parts in which two requests differ, e.g. `temperature`, `messages[1].content`, `tools[0]`. */
export function differingParts(one: Record<string, string>, other: Record<string, string>): string[] {
  const parts = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...parts].filter((part) => own(one, part) !== own(other, part));
}

function own(digests: Record<string, string>, part: string): string | undefined {
  return Object.hasOwn(digests, part) ? digests[part] : undefined;
}

function* partsOf(description: JsonObject): Generator<[string, JsonValue]> {
  for (const [key, value] of Object.entries(description)) {
    if (key === 'messages' && Array.isArray(value)) {
      for (const [index, message] of value.entries()) {
        if (!isObject(message)) continue;
        for (const [field, content] of Object.entries(message))
          yield [`messages[${index}].${field}`, content];
      }
    } else if (key === 'tools' && Array.isArray(value)) {
      for (const [index, tool] of value.entries()) yield [`tools[${index}]`, tool];
    } else if (key === 'response_format' && isObject(value)) {
      for (const [field, content] of Object.entries(value)) yield [`response_format.${field}`, content];
    } else yield [key, value];
  }
}

/** Attached images as digests: a recording must not carry megabytes twice. */
function digestImages(value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    const match = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i.exec(value.slice(0, 100));
    if (match === null) return value;
    return `data:${match[1]};sha256,${createHash('sha256').update(value.slice(match[0].length)).digest('hex')}`;
  }
  if (Array.isArray(value)) return value.map(digestImages);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, digestImages(item)]));
}
