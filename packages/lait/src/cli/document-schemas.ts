import { configFields } from '../config/config-fields.js';
import { tableOf } from '../dialects/steps/compile-steps.js';
import { agentFileFields, workflowFields } from '../dialects/steps/workflow-fields.js';
import { kinds } from '../kinds/index.js';
import { tableSchema } from '../schema/field-schema.js';
import { evalFields, testFields } from '../testing/test-fields.js';
import type { JsonObject } from '../values/value.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** JSON Schemas of whole files, made from the field tables that the readers check by. Source: facts §1.3. */
export const documentSchemas = {
  workflow: workflowSchema,
  config: () => document('lait configuration', 'lait.config.yml', tableSchema(configFields)),
  agent: () =>
    document('lait agent', 'The frontmatter of an agent Markdown file.', tableSchema(agentFileFields)),
  test: () => document('lait test', 'A test file for `lait test`.', tableSchema(testFields)),
  eval: () => document('lait eval', 'An eval file for `lait eval`.', tableSchema(evalFields)),
} as const satisfies Record<string, () => JsonObject>;

export type DocumentKind = keyof typeof documentSchemas;

function workflowSchema(): JsonObject {
  const steps: JsonObject = {};
  for (const kind of kinds.values()) {
    if (kind.fields === undefined) continue;
    steps[kind.name] = { description: kind.description, ...tableSchema(tableOf(kind)) };
  }
  return {
    ...document('lait workflow', 'A workflow file, version 2.', tableSchema(workflowFields)),
    $defs: {
      steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
      step: {
        description: 'A step has exactly one kind key.',
        anyOf: Object.keys(steps).map((name) => ({ $ref: `#/$defs/${name}` })),
      },
      ...steps,
    },
  };
}

function document(title: string, description: string, schema: JsonObject): JsonObject {
  return { $schema: draft, title, description, ...schema };
}
