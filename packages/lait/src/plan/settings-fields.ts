import type { FieldTable } from './fields.js';

/** Fields that several tables share: steps, agents, `default:`, model aliases. Source: steps seed, facts §3 to §5. */

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** The model and its sampling settings. */
export const modelSettingFields = {
  model: { type: 'text', notBlank: true, description: 'Model alias of models:, or a raw model id.' },
  reasoning_effort: {
    type: 'choice',
    values: reasoningEfforts,
    description: 'How much the model reasons before it answers.',
  },
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Sampling temperature, 0.0 to 2.0.' },
  top_p: { type: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling, 0.0 to 1.0.' },
  max_tokens: { type: 'integer', minimum: 1, description: 'Most tokens of one reply, at least 1.' },
} as const satisfies FieldTable;

const names = { type: 'list', items: { type: 'text', notBlank: true } } as const;

/** Tools that a model may call, by registered name. */
export const toolSelectionFields = {
  mcp: { ...names, description: 'MCP servers of lait.config.yml whose tools the model may call.' },
  skills: { ...names, description: 'Skills of lait.config.yml that are added to the system prompt.' },
  subagents: { ...names, description: 'Agents of lait.config.yml that the model may call as tools.' },
  tools: { ...names, description: 'Shell tools of lait.config.yml that the model may call.' },
  max_tool_rounds: {
    type: 'integer',
    minimum: 1,
    description: 'Most exchanges of tool calls and results in one step. Default 8.',
  },
} as const satisfies FieldTable;

/** Attachments of a user message. */
export const attachmentFields = {
  files: {
    type: 'list',
    items: { type: 'template', notBlank: true },
    description: 'Text files added behind the message as code blocks; relative to the current directory.',
  },
  images: {
    type: 'list',
    items: { type: 'template', notBlank: true },
    description: 'Image paths or http(s) URLs for models that see; relative to the current directory.',
  },
} as const satisfies FieldTable;

/** What goes in and comes out of a model call, as schemas. */
export const schemaFields = {
  input_schema: { type: 'schema', description: 'Schema that the input is checked against.' },
  output_schema: {
    type: 'schema',
    description: 'Schema of a structured reply: asked of the server, parsed and checked.',
  },
  schema_name: {
    type: 'text',
    requires: 'output_schema',
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    patternHint: '1 to 64 letters, digits, `_` or `-`',
    description: 'Name of the structured output. Default: the name under schemas:, else structured_output.',
  },
} as const satisfies FieldTable;

/** `retry` and `timeout` of a step and of `default:`. */
export const attemptFields = {
  retry: {
    type: 'object',
    fields: {
      max_attempts: {
        type: 'integer',
        minimum: 1,
        required: true,
        description: 'Attempts in all, the first included.',
      },
      delay_seconds: {
        type: 'integer',
        minimum: 0,
        description: 'Seconds before the second attempt. Default 0.',
      },
      backoff: {
        type: 'number',
        minimum: 0,
        description: 'Factor on the wait after each attempt. Default 1.0.',
      },
    },
    description: 'Repeats failed attempts.',
  },
  timeout: { type: 'integer', minimum: 1, description: 'Seconds that one attempt may take.' },
} as const satisfies FieldTable;

/** One entry of `models.<alias>`, in workflow files and in lait.config.yml. */
const modelEntryFields = {
  provider: {
    type: 'object',
    fields: {
      base_url: {
        type: 'text',
        notBlank: true,
        description: 'Where the API is. Environment variables are replaced.',
      },
      api_key: {
        type: 'text',
        description: 'The key. Environment variables are replaced. Not together with api_key_cmd.',
      },
      api_key_cmd: {
        type: 'union',
        options: [
          { type: 'text', notBlank: true },
          { type: 'list', items: { type: 'text' }, minItems: 1 },
        ],
        description: 'A command that prints the key: text for sh -c, or a program and its arguments.',
      },
      api_key_header: {
        type: 'text',
        pattern: '^[A-Za-z0-9-]+$',
        patternHint: 'the name of a header',
        description: 'The header that carries the key as it is, e.g. api-key. Default: a bearer token.',
      },
      headers: {
        type: 'map',
        values: { type: 'text' },
        names: 'any',
        description: 'Headers added to each request. Environment variables are replaced.',
      },
      query: {
        type: 'map',
        values: { type: 'text' },
        names: 'any',
        description: 'Query parameters added to each request. Environment variables are replaced.',
      },
    },
    description: 'The server. Default: the base URL and key of lait.config.yml.',
  },
  model_id: { type: 'text', notBlank: true, required: true, description: 'The id that the server knows.' },
  default_reasoning_effort: {
    ...modelSettingFields.reasoning_effort,
    description: 'Used when nothing else sets reasoning_effort.',
  },
  default_temperature: {
    ...modelSettingFields.temperature,
    description: 'Used when nothing else sets temperature.',
  },
  default_top_p: { ...modelSettingFields.top_p, description: 'Used when nothing else sets top_p.' },
  default_max_tokens: {
    ...modelSettingFields.max_tokens,
    description: 'Used when nothing else sets max_tokens.',
  },
  api: {
    type: 'choice',
    values: ['chat_completions', 'responses'],
    description: 'Which interface the server is called through. Default chat_completions.',
  },
  max_tokens_field: {
    type: 'choice',
    values: ['max_completion_tokens', 'max_tokens'],
    description: 'What the server calls the token limit of a reply. Default max_completion_tokens.',
  },
  structured_output: {
    type: 'choice',
    values: ['json_schema', 'json_object', 'prompt'],
    description:
      'How the server is asked for structured replies: with the schema (default), with json_object or in the prompt alone for servers that know no more; the last two are checked and repaired once.',
  },
  max_concurrency: {
    type: 'integer',
    minimum: 1,
    description: 'Most requests of this process that are open at once. Default: no limit.',
  },
  requests_per_minute: {
    type: 'integer',
    minimum: 1,
    description: 'Most requests that this process starts in a minute. Default: no limit.',
  },
  pricing: {
    type: 'object',
    fields: {
      input_per_million: { type: 'number', minimum: 0, description: 'Price of a million input tokens.' },
      cached_input_per_million: {
        type: 'number',
        minimum: 0,
        description: 'Price of a million input tokens read from a cache. Default: as input.',
      },
      output_per_million: { type: 'number', minimum: 0, description: 'Price of a million output tokens.' },
    },
    description: 'Prices for --show-usage.',
  },
} as const satisfies FieldTable;

/** `models:`: aliases to lists of entries, the first one preferred, the others taken when it does not answer. */
export const modelsField = {
  type: 'map',
  names: 'any',
  values: { type: 'list', items: { type: 'object', fields: modelEntryFields }, minItems: 1 },
  description:
    'Model aliases: each a list of endpoints, the first preferred, the others tried when it fails.',
} as const satisfies FieldTable[string];
