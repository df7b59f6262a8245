import type { Kinds } from '../../kinds/kind.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import { allNodes } from '../all-nodes.js';
import type { FieldTable } from '../fields.js';
import type { Plan } from '../plan.js';
import type { PlacedSchema } from './located-plan.js';

/** Every schema that a plan's steps and agents name, with its place. */
export function* schemasOf(plan: Plan, kinds: Kinds): Generator<PlacedSchema, void> {
  for (const [name, { inputSchema, outputSchema }] of Object.entries(plan.settings.agents)) {
    if (inputSchema !== undefined) yield { schema: inputSchema, at: ['agents', name, 'input_schema'] };
    if (outputSchema !== undefined) yield { schema: outputSchema, at: ['agents', name, 'output_schema'] };
  }
  for (const node of allNodes(plan.body.nodes, kinds)) {
    const fields = (node.fields ?? {}) as Readonly<Record<string, unknown>>;
    for (const [name, field] of Object.entries((kinds.get(node.kind)?.fields ?? {}) as FieldTable)) {
      if (field.type !== 'schema' || fields[name] === undefined) continue;
      yield { schema: fields[name] as SchemaSource, node, at: [name] };
    }
  }
}
