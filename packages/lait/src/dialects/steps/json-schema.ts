import { kinds } from '../../kinds/index.js';
import { documentSchema, tableSchema } from '../../plan/field-schema.js';
import type { JsonObject } from '../../values/value.js';
import { tableOf } from './compile-steps.js';
import { agentFileFields, workflowFields } from './workflow-fields.js';

/** JSON Schema of workflow files, for editors: made from the tables that the reader checks by. */
export function workflowJsonSchema(): JsonObject {
  const steps: JsonObject = {};
  for (const kind of kinds.values()) {
    if (kind.fields === undefined) continue;
    steps[kind.name] = { description: kind.description, ...tableSchema(tableOf(kind)) };
  }
  return {
    ...documentSchema('lait workflow', 'A workflow file, version 2.', workflowFields),
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

/** JSON Schema of the frontmatter of agent files. */
export function agentJsonSchema(): JsonObject {
  return documentSchema('lait agent', 'The frontmatter of an agent Markdown file.', agentFileFields);
}
