import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { StepError } from '../../errors/errors.js';
import type { DirectToolContext, ModelTool, RegisteredTool } from '../../kinds/services.js';
import { isObject, type JsonObject, type Value } from '../../values/value.js';
import { toolName } from '../tool-names.js';
import { checkedResult } from './checked-result.js';
import type { McpServer } from './mcp-server.js';
import { resultText } from './result-text.js';

/** A tool of a server as models see it. A broken connection fails the request. Source: steps facts §12. */
export function mcpModelTool(server: McpServer, tool: Tool): ModelTool {
  const { name, description } = tool;
  return {
    definition: {
      type: 'function',
      function: {
        name: toolName(server.name, name),
        ...(description !== undefined && { description }),
        // Some model servers refuse an object schema without `properties`.
        parameters: { properties: {}, ...tool.inputSchema } as JsonObject,
      },
    },
    async call(arguments_, context) {
      const result = await checkedResult(tool, await server.call(name, arguments_, context));
      return { text: resultText(result), isError: result.isError === true };
    },
  };
}

/**
 * A tool of a server as workflows call it: the structured content when there is one, else the text. The server is
 * started by the first call, and only then is known whether it has such a tool.
 */
export function mcpRegisteredTool(server: McpServer, wireName: string): RegisteredTool {
  return {
    id: wireName,
    // Known only once the server runs, which checks its own arguments.
    inputSchema: {},
    outputSchema: {},
    async execute(input: Value, context: DirectToolContext): Promise<Value> {
      const tools = await server.tools(context.signal);
      const tool = tools.find(({ name }) => toolName(server.name, name) === wireName);
      if (tool === undefined) {
        const names = tools.map(({ name }) => toolName(server.name, name)).join(', ');
        throw new StepError({
          code: 'tool_unknown',
          message: `the MCP server '${server.name}' has no tool '${wireName}'; it has: ${names || 'none'}`,
        });
      }
      if (input !== undefined && input !== null && !isObject(input)) {
        throw new StepError({
          code: 'tool_arguments_invalid',
          message: `'${wireName}' takes an object of arguments`,
        });
      }
      const result = await checkedResult(tool, await server.call(tool.name, input ?? {}, context));
      if (result.isError === true) {
        throw new StepError({ code: 'tool_failed', message: `'${wireName}' failed: ${resultText(result)}` });
      }
      return (result.structuredContent as JsonObject | undefined) ?? resultText(result);
    },
  };
}
