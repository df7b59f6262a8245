import type { FieldTable } from '../../plan/fields.js';
import {
  attachmentFields,
  attemptFields,
  modelSettingFields,
  modelsField,
  schemaFields,
  toolSelectionFields,
} from '../../plan/settings-fields.js';
import { spendingLimitFields } from '../../plan/spending-limits.js';

/** `default:` of a workflow file. Source: steps seed, モデル設定と既定値. */
const defaultFields = {
  ...modelSettingFields,
  system: { type: 'template', description: 'The system prompt of prompt steps without one.' },
  ...toolSelectionFields,
  ...attemptFields,
} as const satisfies FieldTable;

/** The frontmatter of an agent file. Source: steps seed, `agent`; facts §10. */
export const agentFileFields = {
  name: { type: 'text', notBlank: true, description: 'The name that people and models see.' },
  description: { type: 'text', description: 'What the agent is for; shown to models that may call it.' },
  ...modelSettingFields,
  ...toolSelectionFields,
  ...schemaFields,
  ...attachmentFields,
} as const satisfies FieldTable;

/** An entry of `agents:`: the fields of an agent file, with the body as `system`. */
const inlineAgentFields = {
  ...agentFileFields,
  system: { type: 'template', notBlank: true, required: true, description: 'The system prompt.' },
} as const satisfies FieldTable;

/** The top level of a workflow file. Source: steps seed, ファイルの構成. */
export const workflowFields = {
  version: { type: 'choice', values: [2], description: 'The version of the format. Only 2.' },
  name: { type: 'text', description: 'Shown when the workflow starts.' },
  description: { type: 'text', description: 'Shown when the workflow starts.' },
  inputs: {
    type: 'map',
    names: 'identifier',
    values: {
      type: 'union',
      options: [{ type: 'text' }, { type: 'map', names: 'any', values: { type: 'json' } }, { type: 'empty' }],
    },
    description: 'Named inputs: a JSON Schema each, a type name, or nothing for any value.',
  },
  output: { type: 'jq', description: "Makes the workflow's result from the last value." },
  timeout: { type: 'integer', minimum: 1, description: 'Seconds that one run of this file may take.' },
  limits: {
    type: 'object',
    fields: spendingLimitFields,
    description: 'What one run of this file may spend, its children and branches included.',
  },
  default: { type: 'object', fields: defaultFields, description: 'Defaults of the steps that call models.' },
  models: modelsField,
  schemas: {
    type: 'map',
    names: 'identifier',
    values: { type: 'schema', unnamed: true },
    description: 'Named JSON Schemas: bodies, or { file: … }.',
  },
  agents: {
    type: 'map',
    names: 'identifier',
    values: { type: 'object', fields: inlineAgentFields },
    description: 'Agents of this file.',
  },
  steps: { type: 'block', required: true, description: 'What runs, from top to bottom.' },
} as const satisfies FieldTable;
