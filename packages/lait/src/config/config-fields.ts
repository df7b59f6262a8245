import type { FieldTable, FieldType } from '../plan/fields.js';
import { modelSettingFields, modelsField, toolSelectionFields } from '../plan/settings-fields.js';
import { spendingLimitFields } from '../plan/spending-limits.js';
import { checkSchema } from '../schema/check-schema.js';
import { capabilityFields } from './capability-fields.js';
import { serverFields } from './server-fields.js';

/**
 * Every key of lait.config.yml. The reader refuses what is not here, and `lait schema config` is generated from it.
 * Source: facts §3, §12 and §13.
 */

const textMap = { type: 'map', names: 'any', values: { type: 'text' } } as const satisfies FieldType;

const paths = {
  type: 'map',
  names: 'any',
  values: { type: 'text', notBlank: true },
} as const satisfies FieldType;

const baseUrl = (what: string) =>
  ({ type: 'text', notBlank: true, description: `${what} \${VAR} is replaced.` }) as const;

const apiKeyFields = {
  api_key: { type: 'text', description: 'The key. ${VAR} is replaced. Not together with api_key_cmd.' },
  api_key_cmd: {
    type: 'union',
    options: [
      { type: 'text', notBlank: true },
      { type: 'list', items: { type: 'text' }, minItems: 1 },
    ],
    description:
      'A command that prints the key, run before the first request: text for sh -c, or a program and its arguments.',
  },
} as const satisfies FieldTable;

/** One entry of `mcp_servers:`. Source: facts §13. */
const mcpServerFields = {
  command: {
    type: 'text',
    notBlank: true,
    description: 'The program to start (stdio). Not together with url.',
  },
  args: { type: 'list', items: { type: 'text' }, requires: 'command', description: 'Its arguments.' },
  env: { ...textMap, requires: 'command', description: 'Variables added for it. ${VAR} is replaced.' },
  cwd: { type: 'text', notBlank: true, requires: 'command', description: 'Its working directory.' },
  url: baseUrl('Address of a server over streamable HTTP, instead of command.'),
  headers: { ...textMap, requires: 'url', description: 'Headers of each request. ${VAR} is replaced.' },
  allowed_tools: {
    type: 'list',
    items: { type: 'text', notBlank: true },
    description: 'Tools that may be called. Absent: all; an empty list: none.',
  },
  timeout: { type: 'integer', minimum: 1, description: 'Seconds that one call may take. Default 60.' },
  startup_timeout: {
    type: 'integer',
    minimum: 1,
    description: 'Seconds that starting and greeting it may take. Default 30.',
  },
} as const satisfies FieldTable;

/** One entry of `tools:`. Source: facts §12. */
const shellToolFields = {
  command: {
    type: 'list',
    items: { type: 'text' },
    minItems: 1,
    required: true,
    description: 'Program and arguments, no shell; templates that see input.',
  },
  description: { type: 'text', description: 'What the model is told about it.' },
  parameters: {
    type: 'custom',
    name: 'schema',
    schema: { type: 'object' },
    check: (value) => checkSchema(value).filter(({ severity }) => severity === 'error'),
    description: 'JSON Schema of the arguments. Default: an object without properties.',
  },
  timeout: { type: 'integer', minimum: 1, description: 'Seconds that one call may take. Default 30.' },
  env: {
    ...textMap,
    description: 'The only variables it sees, when there is at least one. ${VAR} is replaced.',
  },
  cwd: { type: 'text', notBlank: true, description: 'Its working directory. ${VAR} is replaced.' },
} as const satisfies FieldTable;

/** `default:` of the configuration. */
export const configDefaultFields = {
  ...modelSettingFields,
  system: { type: 'text', description: 'System prompt of chat. Workflow steps do not fall back to it.' },
  ...toolSelectionFields,
  render: { type: 'boolean', description: 'Shows Markdown replies formatted on a terminal.' },
  history: { type: 'boolean', description: 'Keeps a history of requests.' },
  cache: { type: 'boolean', description: 'Answers equal requests from the response cache.' },
  cache_ttl: { type: 'integer', minimum: 1, description: 'Seconds that a cached reply is good for.' },
  compaction: {
    type: 'object',
    fields: {
      trigger_rounds: {
        type: 'integer',
        minimum: 1,
        required: true,
        description: 'Summarise after so many tool rounds.',
      },
      keep_last_n: {
        type: 'integer',
        minimum: 0,
        required: true,
        description: 'How many of the last messages stay as they are.',
      },
    },
    description: 'Replaces long tool histories by a summary.',
  },
  skill_progressive_disclosure: {
    type: 'boolean',
    description: 'Shows only names and descriptions of skills; the model reads one by calling skill__NAME.',
  },
} as const satisfies FieldTable;

const patterns = (what: string) =>
  ({
    type: 'list',
    items: { type: 'text', notBlank: true },
    description: `${what} Exact names, or x*, *x, *x*, *.`,
  }) as const;

export const configFields = {
  base_url: baseUrl('API of model ids that are no alias. Default http://localhost:1234/v1.'),
  ...apiKeyFields,
  default: {
    type: 'object',
    fields: configDefaultFields,
    description: 'Settings that workflows, agents and steps fall back to, each on its own.',
  },
  limits: {
    type: 'object',
    fields: spendingLimitFields,
    description: 'What each run may spend. A workflow may only lower it.',
  },
  models: modelsField,
  mcp_servers: {
    type: 'map',
    names: 'any',
    values: { type: 'object', fields: mcpServerFields },
    description: 'MCP servers by name; started when a step uses them.',
  },
  skills: { ...paths, description: 'Skills by name: a Markdown file or a directory with SKILL.md.' },
  agents: { ...paths, description: 'Agents by name: Markdown files with frontmatter.' },
  prompts: { ...paths, description: 'Prompts by name: text files.' },
  workflows: { ...paths, description: 'Workflows by name: files of any form.' },
  tool_policy: {
    type: 'object',
    fields: {
      allow: patterns('When not empty, a tool must match one of these.'),
      deny: patterns('Tools that are never called.'),
    },
    description: 'Which tools models may call.',
  },
  tools: {
    type: 'map',
    names: 'any',
    values: { type: 'object', fields: shellToolFields },
    description: 'Shell tools by name.',
  },
  capabilities: {
    type: 'map',
    names: 'any',
    values: { type: 'object', fields: capabilityFields },
    description: 'Capabilities of the graph form by key: settings of built-in ones, and new ones.',
  },
  graph: {
    type: 'object',
    fields: {
      max_nodes: { type: 'integer', minimum: 1, description: 'Most nodes of a graph. Default 30.' },
      max_edges: { type: 'integer', minimum: 1, description: 'Most edges of a graph. Default 60.' },
      time_zone: {
        type: 'text',
        notBlank: true,
        description: 'IANA name of the zone in which date expressions count. Default UTC.',
      },
    },
    description: 'Settings of the graph form.',
  },
  server: { type: 'object', fields: serverFields, description: 'How lait serve behaves.' },
  trust: {
    type: 'choice',
    values: ['ask', 'always', 'never'],
    description:
      "Only in the user's own file: whether configurations of projects are asked about before they execute anything. Default ask.",
  },
  strict_tools: {
    type: 'boolean',
    description:
      'Fails at the first unknown tool or malformed call instead of telling the model. Default false.',
  },
  max_tool_result_bytes: {
    type: 'integer',
    minimum: 1024,
    description: 'Longest tool result that a model is shown, in bytes. Default 262144.',
  },
  jev: {
    type: 'object',
    fields: {
      base_url: baseUrl('The API. Default https://api.typesafe.ai/v1.'),
      ...apiKeyFields,
      model: { type: 'text', notBlank: true, description: 'Default jev-latest.' },
    },
    description: 'The server of decide steps.',
  },
} as const satisfies FieldTable;
