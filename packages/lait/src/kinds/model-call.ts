import { toFailureRecord } from '../engine/failure.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { StepContext } from './kind.js';
import type { ModelReply, ModelRequest } from './services.js';

/**
 * One model request as one effect of the step, with the events that tell about it. `name` tells the requests of a step
 * apart; `round` is the number of tool rounds before it.
 */
export async function callModel(
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
    async ({ signal, idempotencyKey }) => {
      const startedAt = Date.now();
      if (context.listening)
        context.emit({ type: 'model.requested', ...about, round, request: shown(request) });
      let reply: ModelReply;
      try {
        reply = await models.request(request, {
          signal,
          idempotencyKey,
          onWarning: (message) => context.warn(message),
          ...(models.streaming && context.listening
            ? {
                onToken: (text, reasoning) =>
                  context.emit({
                    type: 'model.token',
                    address: about.address,
                    label: about.label,
                    text,
                    ...(reasoning ? { reasoning } : {}),
                  }),
              }
            : {}),
          ...(models.explaining ? { onExplain: (reason) => context.note(reason) } : {}),
        });
      } catch (error) {
        if (context.listening) {
          context.emit({
            type: 'model.failed',
            ...about,
            error: toFailureRecord(error),
            startedAt,
            endedAt: Date.now(),
          });
        }
        throw error;
      }
      if (context.listening) {
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
