import type { JsonObject } from '../values/value.js';
import { jsonRequest, readJsonAnswer } from './json-answer.js';
import { completed, type Kind } from './kind.js';
import { callModel } from './model-call.js';
import { namedInputs } from './named-inputs.js';
import { recordedOutput } from './recorded-output.js';
import type { ChatMessage } from './services.js';

export interface LlmFields {
  /** Says where the model runs; which server that is, the configuration decides. */
  provider: string;
  model: string;
  system_prompt?: string;
  max_tokens?: number;
  reasoning_effort?: string;
  output_schema: JsonObject;
}

/** The same for every llm node. Source: graph facts §2.7. */
const temperature = 0.7;

/** One request to a model, without tools or memory. Source: graph facts §2.7. */
export const llmKind: Kind<LlmFields> = {
  name: 'llm',
  shape: 'action',
  description: 'Sends one request to a model; the value is the JSON object that it answers with.',
  callsModel: true,
  effects: 'rerun',
  async execute({ model, system_prompt, max_tokens, reasoning_effort, output_schema }, context) {
    const output = await recordedOutput(context, async () => {
      const settings = { model, temperature, max_tokens, reasoning_effort };
      const messages: ChatMessage[] = [
        ...(system_prompt === undefined ? [] : [{ role: 'system' as const, content: system_prompt }]),
        { role: 'user', content: jsonRequest(namedInputs(context.input), output_schema) },
      ];
      const reply = await callModel(
        { model: context.services.models.resolve(settings, context.settings.models), messages },
        { name: 'request', round: 0 },
        context,
      );
      return readJsonAnswer(reply.content ?? '', output_schema);
    });
    return completed(output);
  },
};
