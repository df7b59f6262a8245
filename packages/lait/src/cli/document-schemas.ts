import { configFields } from '../config/config-fields.js';
import { dynamicJsonSchema } from '../dialects/dynamic/json-schema.js';
import { agentJsonSchema, workflowJsonSchema } from '../dialects/steps/json-schema.js';
import { documentSchema } from '../plan/field-schema.js';
import { evalFields, testFields } from '../testing/test-fields.js';
import type { JsonObject } from '../values/value.js';

/** JSON Schemas of whole files, made from the field tables that the readers check by. Source: facts §1.3. */
export const documentSchemas = {
  workflow: workflowJsonSchema,
  dynamic: dynamicJsonSchema,
  config: () => documentSchema('lait configuration', 'lait.config.yml', configFields),
  agent: agentJsonSchema,
  test: () => documentSchema('lait test', 'A test file for `lait test`.', testFields),
  eval: () => documentSchema('lait eval', 'An eval file for `lait eval`.', evalFields),
} as const satisfies Record<string, () => JsonObject>;

export type DocumentKind = keyof typeof documentSchemas;
