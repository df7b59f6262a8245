import type OpenAI from 'openai';
import type { ModelCandidate, ModelRequest } from '../kinds/services.js';
import { promptedMessages, structuredOutputMode } from './prompted-schema.js';

/** The types of OpenAI's package are the published interface: what is built here cannot drift from it. */
type Body = OpenAI.ChatCompletionCreateParams;

/**
 * The body of a chat completion: only what is set, the schema unchanged, `tools` left out when empty. What servers call
 * the token limit, and how they are asked for a structured reply, is said by their entry. Source: facts §4.
 */
export function chatBody(request: ModelRequest, { modelId, entry }: ModelCandidate, stream: boolean): object {
  const { model, tools } = request;
  return {
    model: modelId,
    messages: [...promptedMessages(request, entry)],
    ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
    ...(model.reasoning_effort === undefined
      ? {}
      : { reasoning_effort: model.reasoning_effort as Body['reasoning_effort'] }),
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(model.top_p === undefined ? {} : { top_p: model.top_p }),
    ...(model.max_tokens === undefined
      ? {}
      : { [entry.max_tokens_field ?? 'max_completion_tokens']: model.max_tokens }),
    ...responseFormat(request, { modelId, entry }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: [...tools] }),
  } satisfies Body;
}

function responseFormat(
  { responseFormat: format }: ModelRequest,
  { entry }: Pick<ModelCandidate, 'modelId' | 'entry'>,
): { response_format?: Body['response_format'] } {
  if (format === undefined) return {};
  switch (structuredOutputMode(entry)) {
    case 'prompt':
      return {};
    case 'json_object':
      return { response_format: { type: 'json_object' } };
    case 'json_schema':
      return {
        response_format: {
          type: 'json_schema',
          json_schema: { name: format.name, schema: format.schema, strict: true },
        },
      };
  }
}
