import type { FieldTable, FieldType } from '../plan/fields.js';
import { modelSettingFields } from '../plan/settings-fields.js';

/**
 * The fields of test and eval files: the readers check by them, and `lait schema test` and `lait schema eval` are made
 * from them. Source: facts §19.
 */

const valueAssertions = {
  equals: {
    value: { type: 'json', required: true, description: 'The value, in full.' },
  },
  contains: {
    value: {
      type: 'json',
      required: true,
      description:
        'Text: a part of the text form. A list or mapping: elements and keys that must be there, whatever else is.',
    },
  },
  jq: {
    expr: {
      type: 'jq',
      required: true,
      description: 'Must give something else than false and null. Sees the value, $steps and $inputs.',
    },
  },
  llm_judge: {
    criteria: {
      type: 'text',
      notBlank: true,
      required: true,
      description: 'What a good answer must be like; a model judges by it.',
    },
    model: { ...modelSettingFields.model, description: "The judge. Default: the workflow's model." },
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

const count = { type: 'integer', minimum: 0 } as const;

const assertions = {
  ...valueAssertions,
  tool_called: {
    name: {
      type: 'text',
      notBlank: true,
      required: true,
      description: 'The tool as the model sees it, e.g. tool__search.',
    },
    min: { ...count, description: 'Fewest calls. Default 1, or 0 when max is 0.' },
    max: { ...count, description: 'Most calls. Default: any number.' },
    args_jq: { type: 'jq', description: 'Counts only calls whose arguments make it true.' },
  },
  usage: {
    max_input_tokens: { ...count, description: 'Most input tokens, cached ones included.' },
    max_output_tokens: { ...count, description: 'Most output tokens, reasoning included.' },
    max_total_tokens: { ...count, description: 'Most tokens in all.' },
    max_requests: { ...count, description: 'Most replies of models, recorded ones included.' },
    max_cost: { type: 'number', minimum: 0, description: 'Highest cost by the pricing of the models.' },
  },
  step_output: {
    id: { type: 'text', notBlank: true, required: true, description: 'The step whose value is looked at.' },
    assert: {
      type: 'list',
      items: { type: 'variants', tag: 'type', tables: valueAssertions },
      minItems: 1,
      required: true,
      description: 'What holds for its value; of a repeated step for the last one.',
    },
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

const assertField = {
  type: 'list',
  items: { type: 'variants', tag: 'type', tables: assertions } as FieldType,
  description: 'What must hold. Without it, that the run succeeds.',
} as const;

const callFields = {
  name: { type: 'text', notBlank: true, description: 'How reports call it.' },
  input: { type: 'json', description: 'The first value of the run. Default null.' },
  inputs: {
    type: 'map',
    names: 'any',
    values: { type: 'json' },
    description: 'Named inputs of the workflow.',
  },
  answers: {
    type: 'map',
    names: 'any',
    values: { type: 'text' },
    description: 'Answers to `ask` steps, by step id.',
  },
  assert: assertField,
} as const satisfies FieldTable;

const workflow = {
  type: 'text',
  notBlank: true,
  description: 'A workflow file, relative to this file, or a name under workflows: of lait.config.yml.',
} as const;

/** A test file. */
export const testFields = {
  workflow: { ...workflow, required: true },
  ...callFields,
  replay: {
    type: 'text',
    notBlank: true,
    required: true,
    description: 'Directory of recorded replies, relative to this file; `lait test --update` records them.',
  },
} as const satisfies FieldTable;

/** What an eval file evaluates. */
const targetFields = {
  workflow,
  prompt: { type: 'template', notBlank: true, description: 'A prompt instead of a workflow; sees input.' },
  system: { type: 'template', requires: 'prompt', description: 'The system prompt beside `prompt`.' },
  ...modelSettingFields,
} as const satisfies FieldTable;

/** An eval file. */
export const evalFields = {
  name: { type: 'text', notBlank: true, description: 'How reports call it.' },
  target: {
    type: 'object',
    fields: targetFields,
    required: true,
    description: 'What is evaluated: { workflow }, or { prompt } with model settings.',
  },
  cases: {
    type: 'list',
    items: { type: 'object', fields: callFields },
    minItems: 1,
    required: true,
    description: 'Inputs, each with what must hold for the result.',
  },
} as const satisfies FieldTable;
