import { DefinitionError } from '../errors/errors.js';
import { ExpressionSyntaxError } from '../expressions/syntax-error.js';
import { compileTemplate } from '../expressions/template.js';
import type { AgentPlan } from '../plan/agent.js';
import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import type { JsonObject } from '../values/value.js';

/** An agent given in code: the fields of an agent file, with the body as `system`, or an answer of its own. */
export interface AgentDefinition extends ModelSettings, ToolSelection {
  name?: string;
  description?: string;
  /** The system prompt, a template. Default: none. */
  system?: string;
  /** JSON Schema of the input. */
  inputSchema?: JsonObject;
  /** JSON Schema of a structured reply. */
  outputSchema?: JsonObject;
  /** Name of the structured output. */
  schemaName?: string;
  /** Answers by itself instead of through a model server. */
  answer?: AgentPlan['answer'];
}

/** Compiles an agent. Throws a `DefinitionError` (code `template_syntax`) for a wrong system prompt. */
export function compileAgent(name: string, definition: AgentDefinition): AgentPlan {
  const { system = '', inputSchema, outputSchema, ...rest } = definition;
  try {
    return {
      name,
      ...rest,
      system: compileTemplate(system),
      ...(inputSchema === undefined ? {} : { inputSchema: { body: inputSchema } }),
      ...(outputSchema === undefined ? {} : { outputSchema: { body: outputSchema } }),
    };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    throw new DefinitionError({
      code: 'template_syntax',
      message: `the system prompt of the agent '${name}': ${error.message}`,
      diagnostics: [],
    });
  }
}
