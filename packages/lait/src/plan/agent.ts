import type { Expression } from '../expressions/expression.js';
import type { SchemaSource } from '../schema/schema-source.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { ModelSettings, ToolSelection } from './settings.js';
import type { SourceFile } from './source.js';

/** A compiled agent: an entry of `agents:`, a Markdown file with frontmatter, or one given in code. */
export interface AgentPlan extends ModelSettings, ToolSelection {
  name?: string;
  description?: string;
  /** The system prompt. */
  system: Expression<string>;
  inputSchema?: SchemaSource;
  outputSchema?: SchemaSource;
  /** Name of the structured output. */
  schemaName?: string;
  files?: readonly Expression<string>[];
  images?: readonly Expression<string>[];
  /** The file it was read from, with its text. */
  source?: SourceFile;
  /** An agent given in code answers by itself instead of through a model server. */
  answer?(
    prompt: string,
    context: { signal: AbortSignal; outputSchema?: JsonObject },
  ): Promise<{ text: string; object?: JsonValue }>;
}
