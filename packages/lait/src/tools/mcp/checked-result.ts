import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { compileFullSchema } from '../../schema/full-schema.js';
import type { JsonObject } from '../../values/value.js';

/**
 * A tool's result, as it came, when its structured content fits the output schema of the tool; else an error result that
 * says what does not fit. Results without structured content are not judged. Source: field report FR-19.
 */
export async function checkedResult(tool: Tool, result: CallToolResult): Promise<CallToolResult> {
  const { outputSchema, name } = tool;
  const { structuredContent, isError } = result;
  if (outputSchema === undefined || structuredContent === undefined || isError === true) return result;
  const problems = await problemsOf(structuredContent, outputSchema as JsonObject);
  if (problems.length === 0) return result;
  const text = `the result of '${name}' does not fit the tool's output schema: ${problems.join('; ')}`;
  return { isError: true, content: [{ type: 'text', text }] };
}

async function problemsOf(value: unknown, schema: JsonObject): Promise<string[]> {
  try {
    return (await compileFullSchema(schema))(value);
  } catch (error) {
    return [`it is no JSON Schema (${(error as Error).message})`];
  }
}
