import type { LlmFields } from '../../../kinds/llm.js';
import { type JsonObject, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';
import { checkInputs, checkOutputSchema } from './inputs.js';
import type { GraphNodeType } from './node-type.js';
import { retryPolicy } from './retry.js';

/** Providers that graphs name; `default` leaves the choice to the configuration. */
const wellKnownProviders = [
  'default',
  'openai',
  'anthropic',
  'google',
  'gemini',
  'openrouter',
  'ollama',
  'lmstudio',
  'groq',
  'mistral',
  'deepseek',
  'xai',
  'azure',
  'local',
];
const maxPromptBytes = 16 * 1024;

/** Sends one request to a model, without tools or memory. Source: graph facts §2.7. */
export const llmType: GraphNodeType = {
  type: 'llm',
  description: 'Sends one request to a model; the answer must fit the output_schema.',
  keys: ['provider', 'model', 'system_prompt', 'max_tokens', 'reasoning_effort', 'inputs', 'output_schema'],
  refuses: { code: 'llm_unknown_keys' },
  check(node, check) {
    checkModel(node, check);
    const prompt = ownProperty(node.config, 'system_prompt');
    if (prompt !== undefined && prompt !== null) {
      if (typeof prompt !== 'string')
        check.report(node, 'llm_system_prompt', 'system_prompt must be text', 'system_prompt');
      else if (Buffer.byteLength(prompt) > maxPromptBytes) {
        check.report(
          node,
          'llm_system_prompt',
          `system_prompt may have ${maxPromptBytes} bytes at most`,
          'system_prompt',
        );
      }
    }
    const tokens = ownProperty(node.config, 'max_tokens');
    if (tokens !== undefined && tokens !== null && !(Number.isInteger(tokens) && (tokens as number) >= 1)) {
      check.report(node, 'llm_max_tokens', 'max_tokens must be an integer of at least 1', 'max_tokens');
    }
    const effort = ownProperty(node.config, 'reasoning_effort');
    if (effort !== undefined && effort !== null && (typeof effort !== 'string' || effort.trim() === '')) {
      check.report(
        node,
        'llm_reasoning_effort',
        'reasoning_effort must be text such as low',
        'reasoning_effort',
      );
    }
    checkInputs(node, check, { code: 'inputs_shape' });
    checkOutputSchema(node, check);
  },
  output: (node) => ownProperty(node.config, 'output_schema'),
  lower(node, lowering) {
    const { config } = node;
    const fields: LlmFields = {
      provider: config.provider as string,
      model: config.model as string,
      output_schema: config.output_schema as JsonObject,
      ...(typeof config.system_prompt === 'string' && { system_prompt: config.system_prompt }),
      ...(typeof config.max_tokens === 'number' && { max_tokens: config.max_tokens }),
      ...(typeof config.reasoning_effort === 'string' && { reasoning_effort: config.reasoning_effort }),
    };
    return { kind: 'llm', fields, input: lowering.value(config.inputs ?? {}), retry: retryPolicy(undefined) };
  },
};

function checkModel(node: GraphNode, check: GraphCheck): void {
  const provider = ownProperty(node.config, 'provider');
  const known = [...wellKnownProviders, ...(check.options.providers ?? [])];
  if (typeof provider !== 'string' || !known.includes(provider)) {
    const what = {
      message: `provider must be one of ${known.join(', ')}`,
      misnamed: { name: String(provider), known },
    };
    check.report(node, 'llm_provider', what, 'provider');
  }
  const model = ownProperty(node.config, 'model');
  if (typeof model !== 'string' || model.trim() === '')
    check.report(node, 'llm_model', 'an llm node needs a model', 'model');
}
