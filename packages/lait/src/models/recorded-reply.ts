import type { Usage } from '../engine/events.js';
import type { ToolCall } from '../kinds/services.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import { ownText } from './own-text.js';
import type { RawReply } from './read-completion.js';

/** A reply as cassettes and cache entries hold it. */
export function writeReply(reply: RawReply): JsonObject {
  return {
    model: reply.model,
    content: reply.content,
    ...(reply.reasoning === null ? {} : { reasoning: reply.reasoning }),
    ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls as unknown as JsonValue }),
    finish_reason: reply.finishReason,
    usage: reply.usage === null ? null : { ...reply.usage },
  };
}

/** Reads a stored reply back; undefined when the file holds something else. */
export function readReply(stored: JsonValue | undefined): RawReply | undefined {
  if (!isObject(stored)) return undefined;
  const calls = stored.tool_calls ?? [];
  const content = stored.content ?? null;
  if (!Array.isArray(calls) || !calls.every(isToolCall)) return undefined;
  if (content !== null && typeof content !== 'string') return undefined;
  if (content === null && calls.length === 0) return undefined;
  return {
    model: ownText(stored, 'model') ?? '',
    content,
    reasoning: ownText(stored, 'reasoning'),
    toolCalls: calls as unknown as ToolCall[],
    finishReason: ownText(stored, 'finish_reason'),
    usage: isUsage(stored.usage) ? stored.usage : null,
  };
}

function isToolCall(call: JsonValue): boolean {
  return (
    isObject(call) &&
    typeof call.id === 'string' &&
    isObject(call.function) &&
    typeof call.function.name === 'string' &&
    typeof call.function.arguments === 'string'
  );
}

const usageParts = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
] as const;

function isUsage(usage: unknown): usage is Usage {
  return isObject(usage) && usageParts.every((part) => typeof usage[part] === 'number');
}
