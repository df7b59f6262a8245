import { inputParameters } from '../../tools/tool-service.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';

/** One tool of our MCP server: an agent or a workflow. Source: steps facts §21. */
export interface McpToolEntry {
  /** `agent__NAME` or `workflow__NAME`, as `toolName` makes it. */
  name: string;
  description?: string;
  /** An object schema. */
  inputSchema: JsonObject;
  call(arguments_: JsonObject, context: McpCallContext): Promise<McpCallResult>;
}

export interface McpCallContext {
  /** Fires when the client cancels the call or is gone. */
  signal: AbortSignal;
  /** Tells a client that wants to know how far the call has come. */
  progress(message: string): void;
}

export interface McpCallResult {
  text: string;
  /** The value, when it is an object. */
  structured?: JsonObject;
}

/** How a client calls an agent. */
export interface AgentParameters {
  schema: JsonObject;
  /** The agent's input from the arguments of a call. */
  toInput(arguments_: JsonObject): JsonValue;
}

/**
 * An agent's own `input_schema` when it describes an object, and the arguments are its input; otherwise one argument
 * `input`. Source: steps facts §21.
 */
export function agentParameters(inputSchema?: JsonObject): AgentParameters {
  if (inputSchema !== undefined && (inputSchema.type === 'object' || isObject(inputSchema.properties))) {
    return { schema: { ...inputSchema, type: 'object' }, toInput: (arguments_) => arguments_ };
  }
  return {
    schema:
      inputSchema === undefined
        ? inputParameters
        : { type: 'object', properties: { input: inputSchema }, required: ['input'] },
    toInput: (arguments_) => arguments_.input ?? null,
  };
}

/**
 * A workflow takes `input`, its first value, and `inputs`, by name. Names without a default are required. Source: steps
 * facts §21.
 *
 * @param declared what the workflow declares under `inputs:`, as JSON Schemas
 */
export function workflowParameters(declared: Readonly<Record<string, JsonObject>> = {}): JsonObject {
  const input = { description: 'The first value, usually text.' };
  if (Object.keys(declared).length === 0) {
    return { type: 'object', properties: { input } };
  }
  const required = Object.keys(declared).filter((name) => !Object.hasOwn(declared[name]!, 'default'));
  return {
    type: 'object',
    properties: {
      input,
      inputs: {
        type: 'object',
        properties: { ...declared },
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      },
    },
    ...(required.length > 0 && { required: ['inputs'] }),
  };
}
