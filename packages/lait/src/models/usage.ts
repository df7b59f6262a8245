import type { Usage } from '../engine/events.js';
import { isObject, type JsonObject, ownProperty } from '../values/value.js';

/**
 * The token counts of a reply in disjoint parts, or null when the server reported none. Knows which servers report
 * cached and reasoning tokens as a part of the larger count (OpenAI and most others) and which on top of it
 * (Anthropic's names, some reasoning models). Source: field report FR-34.
 */
export function normalizeUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const input = count(raw, 'prompt_tokens') ?? count(raw, 'input_tokens');
  const output = count(raw, 'completion_tokens') ?? count(raw, 'output_tokens');
  if (input === undefined && output === undefined) return null;

  const inputDetails = nested(raw, 'prompt_tokens_details') ?? nested(raw, 'input_tokens_details');
  const outputDetails = nested(raw, 'completion_tokens_details') ?? nested(raw, 'output_tokens_details');
  const cachedOnTop = count(raw, 'cache_read_input_tokens');
  const cacheWriteTokens =
    count(raw, 'cache_creation_input_tokens') ?? count(inputDetails, 'cache_write_tokens') ?? 0;
  const cachedInside = count(inputDetails, 'cached_tokens') ?? count(raw, 'prompt_cache_hit_tokens') ?? 0;
  const reasoningTokens = count(outputDetails, 'reasoning_tokens') ?? count(raw, 'reasoning_tokens') ?? 0;

  const total = count(raw, 'total_tokens');
  const reasoningOnTop =
    reasoningTokens > 0 && total === (input ?? 0) + (output ?? 0) + reasoningTokens ? reasoningTokens : 0;
  // `input_tokens` with Anthropic's cache counts leaves them out; `prompt_tokens` beside them is already the whole.
  const addsCache = cachedOnTop !== undefined && count(raw, 'prompt_tokens') === undefined;
  const cachedInputTokens = addsCache ? cachedOnTop : (cachedOnTop ?? cachedInside);
  const writtenInside = addsCache ? 0 : cacheWriteTokens;
  return {
    inputTokens: addsCache ? (input ?? 0) : Math.max(0, (input ?? 0) - cachedInputTokens - writtenInside),
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: Math.max((output ?? 0) + reasoningOnTop, reasoningTokens),
    reasoningTokens,
  };
}

function count(object: JsonObject | undefined, key: string): number | undefined {
  const value = object === undefined ? undefined : ownProperty(object, key);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

function nested(object: JsonObject, key: string): JsonObject | undefined {
  const value = ownProperty(object, key);
  return isObject(value) ? value : undefined;
}
