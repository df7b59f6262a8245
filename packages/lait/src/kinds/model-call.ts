import type { Spent } from '../engine/budget.js';
import type { Usage } from '../engine/events.js';
import { toFailureRecord } from '../engine/failure.js';
import { isLaitError } from '../errors/lait-error.js';
import { costOf, isPriced, type Pricing } from '../models/pricing.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { StepContext } from './kind.js';
import type { ModelCallOptions, ModelReply, ModelRequest } from './services.js';

/**
 * One model request as one effect of the step, within the limits of spending, with the events that tell about it.
 * `name` tells the requests of a step apart; `round` is the number of tool rounds before it.
 */
export async function callModel(
  request: ModelRequest,
  { name, round }: { name: string; round: number },
  context: StepContext,
): Promise<ModelReply> {
  const pricing = request.model.candidates[0]!.entry.pricing as Pricing | undefined;
  const settle = context.beginModelCall({ priced: isPriced(pricing), ended: hasEnded(name, context) });
  const reply = await requestReply(request, { name, round }, context).catch((error: unknown) => {
    settle(spentOnFailure(error, pricing));
    throw error;
  });
  // The cache is free. A recording stands for the live model: what is tested meets the same limits.
  settle(reply.source === 'cache' ? undefined : spentOf(reply.usage, pricing));
  return reply;
}

/** Whether the call has an outcome on record and is only replayed. */
function hasEnded(name: string, context: StepContext): boolean {
  try {
    return context.recorded(name) !== undefined;
  } catch {
    return true;
  }
}

function spentOf(usage: Usage | null, pricing: Pricing | undefined): Spent {
  if (usage === null) return { tokens: null, cost: null };
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    tokens: inputTokens + cachedInputTokens + cacheWriteTokens + outputTokens,
    cost: costOf(usage, pricing) ?? null,
  };
}

/** A cut or refused reply was paid for, and says how much; a request that nobody answered cost nothing. */
function spentOnFailure(error: unknown, pricing: Pricing | undefined): Spent {
  const usage = isLaitError(error) ? (error.details.usage as Usage | undefined) : undefined;
  return usage === undefined ? { tokens: 0, cost: 0 } : spentOf(usage, pricing);
}

async function requestReply(
  request: ModelRequest,
  { name, round }: { name: string; round: number },
  context: StepContext,
): Promise<ModelReply> {
  const { models } = context.services;
  const about = {
    address: context.address,
    label: context.node.label,
    model: request.model.candidates[0]!.modelId,
  };
  const value = await context.effect(
    async ({ signal }) => {
      const startedAt = Date.now();
      if (context.listening)
        context.emit({ type: 'model.requested', ...about, round, request: shown(request) });
      let reply: ModelReply;
      try {
        reply = await models.request(request, { signal, ...requestHooks(name, context) });
      } catch (error) {
        if (context.listening) {
          const failure = toFailureRecord(error);
          context.emit({ type: 'model.failed', ...about, error: failure, startedAt, endedAt: Date.now() });
        }
        throw error;
      }
      if (context.metering) {
        context.emit({
          type: 'model.responded',
          ...about,
          responseModel: reply.model || about.model,
          round,
          source: reply.source,
          usage: reply.usage,
          startedAt,
          endedAt: Date.now(),
          reply: replyShown(reply),
        });
      }
      return { value: reply as unknown as JsonObject };
    },
    { name },
  );
  return value as unknown as ModelReply;
}

/** What is told of a request while it is answered. */
function requestHooks(requestName: string, context: StepContext): Omit<ModelCallOptions, 'signal'> {
  const { models } = context.services;
  const { address, node } = context;
  return {
    onWarning: (message) => context.warn(message),
    ...(models.streaming &&
      context.listening && {
        onToken: (text, reasoning) =>
          context.emit({
            type: 'model.token',
            address,
            label: node.label,
            requestName,
            text,
            ...(reasoning && { reasoning }),
          }),
      }),
    ...(models.explaining && { onExplain: (reason) => context.note(reason) }),
  };
}

function shown({ messages, tools, responseFormat }: ModelRequest): JsonObject {
  return {
    messages: [...messages] as unknown as JsonValue,
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map((tool) => tool.function.name) }),
    ...(responseFormat === undefined ? {} : { response_format: responseFormat.name }),
  };
}

function replyShown({ content, reasoning, toolCalls, finishReason }: ModelReply): JsonObject {
  return {
    content,
    reasoning,
    finish_reason: finishReason,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls as unknown as JsonValue }),
  };
}
