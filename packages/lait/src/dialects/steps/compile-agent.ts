import type { Expression } from '../../expressions/expression.js';
import type { AgentPlan } from '../../plan/agent.js';
import { modelSettingFields, toolSelectionFields } from '../../plan/settings-fields.js';
import type { SchemaSource } from '../../schema/schema-source.js';

/** Makes an agent from the compiled fields of an entry of `agents:` or of an agent file. */
export function agentPlan(fields: Readonly<Record<string, unknown>>, system: Expression<string>): AgentPlan {
  const agent: AgentPlan = { system };
  if (fields.name !== undefined) agent.name = fields.name as string;
  if (fields.description !== undefined) agent.description = fields.description as string;
  if (fields.input_schema !== undefined) agent.inputSchema = fields.input_schema as SchemaSource;
  if (fields.output_schema !== undefined) agent.outputSchema = fields.output_schema as SchemaSource;
  if (fields.schema_name !== undefined) agent.schemaName = fields.schema_name as string;
  if (fields.files !== undefined) agent.files = fields.files as Expression<string>[];
  if (fields.images !== undefined) agent.images = fields.images as Expression<string>[];
  for (const key of [...Object.keys(modelSettingFields), ...Object.keys(toolSelectionFields)]) {
    if (fields[key] !== undefined) Object.assign(agent, { [key]: fields[key] });
  }
  return agent;
}
