import type { RunEvent, Usage } from '../../engine/events.js';
import { shownJson } from '../../values/text.js';
import type { JsonValue } from '../../values/value.js';
import { costOf, type Pricing } from '../usage-report.js';

/** What is known of a span, by OpenTelemetry's names for generative models and `lait.` for the rest. */
export type Attributes = Record<string, JsonValue>;

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export function replyAttributes(
  event: EventOf<'model.responded'>,
  pricing: ReadonlyMap<string, Pricing> | undefined,
): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': event.model,
    'gen_ai.response.model': event.responseModel,
    ...(event.usage !== null && usageAttributes(event.usage, pricing?.get(event.model))),
    'lait.source': event.source,
    'lait.tool.round': event.round,
  };
}

export function failedCallAttributes({ model, error }: EventOf<'model.failed'>): Attributes {
  return { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, 'error.type': error.code };
}

export function toolAttributes(event: EventOf<'tool.completed'>, given: JsonValue | undefined): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': event.tool,
    'gen_ai.tool.call.id': event.callId,
    ...(given !== undefined && {
      'gen_ai.tool.arguments': typeof given === 'string' ? given : shownJson(given),
    }),
    // Whole, also when the model was shown a part of it. Source: field report FR-37.
    'gen_ai.tool.call.result': event.result,
    'lait.tool.round': event.round,
    'lait.tool.decision': event.decision,
    ...(event.isError && { 'error.type': 'tool_error' }),
  };
}

function usageAttributes(usage: Usage, pricing: Pricing | undefined): Attributes {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const cost = costOf(usage, pricing);
  return {
    // The convention counts cached tokens as input; they are named apart so that nobody adds them twice.
    'gen_ai.usage.input_tokens': inputTokens + cachedInputTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    ...(cachedInputTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cachedInputTokens }),
    ...(cacheWriteTokens > 0 && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reasoningTokens > 0 && { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    ...(cost !== undefined && { 'lait.cost': cost }),
  };
}
