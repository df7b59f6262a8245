import type OpenAI from 'openai';
import type { ModelRequest } from '../kinds/services.js';

/** The types of the client are the published interface: what is built here cannot drift from it. */
type Body = OpenAI.ChatCompletionCreateParams;

/**
 * The body of a chat completion: only what is set, the schema unchanged, `tools` left out when empty.
 * Source: facts §4.
 */
export function chatBody(request: ModelRequest, modelId: string, stream: boolean): Body {
  const { model, messages, tools, responseFormat } = request;
  return {
    model: modelId,
    messages: [...messages],
    ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
    ...(model.reasoning_effort === undefined
      ? {}
      : { reasoning_effort: model.reasoning_effort as Body['reasoning_effort'] }),
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(model.top_p === undefined ? {} : { top_p: model.top_p }),
    ...(model.max_tokens === undefined ? {} : { max_completion_tokens: model.max_tokens }),
    ...(responseFormat === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: responseFormat.name, schema: responseFormat.schema, strict: true },
          },
        }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: [...tools] }),
  };
}
