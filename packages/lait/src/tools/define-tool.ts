import { StepError } from '../errors/errors.js';
import type { DirectToolContext, RegisteredTool } from '../kinds/services.js';
import { compileFullSchema } from '../schema/full-schema.js';
import { isFullyStripped } from '../schema/is-fully-stripped.js';
import { compileDefinitionSchema, type StripResult } from '../schema/strip.js';
import { copyProgramValue } from '../values/program-value.js';
import type { JsonObject, Value } from '../values/value.js';
import type { InferJsonSchema } from './infer-json-schema.js';
import {
  isStandardSchema,
  parseStandard,
  type StandardSchema,
  toJsonSchema,
  validateStandard,
} from './standard-schema.js';

/** A JSON Schema, or a schema of any library that follows Standard Schema (zod, valibot, arktype, …). */
export type ToolSchema = StandardSchema<unknown, unknown> | Readonly<Record<string, unknown>>;

/** What `execute` receives for an input schema: the value after the library has converted it. */
export type SchemaValue<Schema> =
  Schema extends StandardSchema<unknown, infer Output> ? Output : InferJsonSchema<Schema>;

/** What `execute` may give back for an output schema: the value before the library converts it. */
export type SchemaInput<Schema> =
  Schema extends StandardSchema<infer Input, unknown> ? Input : InferJsonSchema<Schema>;

export interface ToolOptions<Input extends ToolSchema, Output extends ToolSchema> {
  /** What it calls itself. Workflows name it by the key under which it is handed to `createLait`. */
  id?: string;
  /** What people and models are told about it. */
  description?: string;
  inputSchema?: Input;
  outputSchema?: Output;
  /** True when repeating a call with the same `context.idempotencyKey` does no harm. Default false. */
  idempotent?: boolean;
  execute(
    input: SchemaValue<Input>,
    context: DirectToolContext,
  ): Promise<SchemaInput<Output>> | SchemaInput<Output>;
}

/** A tool given in code. `id` is settled when it is registered. */
export type DefinedTool = Omit<RegisteredTool, 'id'> & { id?: string };

/**
 * Defines a tool that workflows call (the dynamic form's `tool` entries) and that models may be offered. What comes in
 * and what goes out is checked; a value that does not fit is a `StepError` (`tool_value_invalid`) naming every place.
 *
 * ```ts
 * const add = defineTool({
 *   description: 'adds two numbers',
 *   inputSchema: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 * ```
 */
export function defineTool<
  const Input extends ToolSchema = Record<string, never>,
  const Output extends ToolSchema = Record<string, never>,
>(options: ToolOptions<Input, Output>): DefinedTool {
  const { id, description, inputSchema, outputSchema, idempotent, execute } = options;
  const input = schemaSide(inputSchema, 'input');
  const output = schemaSide(outputSchema, 'output');
  return {
    ...(id !== undefined && { id }),
    ...(description !== undefined && { description }),
    ...(input.jsonSchema !== undefined && { inputSchema: input.jsonSchema }),
    ...(output.jsonSchema !== undefined && { outputSchema: output.jsonSchema }),
    ...(idempotent !== undefined && { idempotent }),
    parts: {
      parseInput: input.parse,
      run: (value, context) => execute(value as SchemaValue<Input>, context),
      parseOutput: output.parse,
    },
    async execute(value, context) {
      const accepted = await input.accept(value, 'the input of the tool');
      const result = await execute(accepted as SchemaValue<Input>, context);
      return asJson(await output.accept(result, 'the result of the tool'));
    },
  };
}

interface SchemaSide {
  jsonSchema: JsonObject | undefined;
  accept(value: unknown, what: string): Promise<unknown>;
  /** Gives the problems instead of throwing, and drops what the schema does not declare. */
  parse(value: Value): Promise<StripResult> | StripResult;
}

function schemaSide(schema: ToolSchema | undefined, side: 'input' | 'output'): SchemaSide {
  if (schema === undefined) {
    return {
      jsonSchema: undefined,
      accept: async (value) => value,
      parse: compileDefinitionSchema(undefined),
    };
  }
  if (isStandardSchema(schema)) {
    return {
      jsonSchema: toJsonSchema(schema, side),
      accept: (value, what) => validateStandard(schema, value, what),
      parse: (value) => parseStandard(schema, value),
    };
  }
  const jsonSchema = schema as JsonObject;
  return {
    jsonSchema,
    parse: jsonParser(jsonSchema, side),
    async accept(value, what) {
      const problems = (await compileFullSchema(jsonSchema))(value);
      if (problems.length === 0) return value;
      throw new StepError({
        code: 'tool_value_invalid',
        message: `${what} does not fit its schema: ${problems.join('; ')}`,
      });
    },
  };
}

/** Drops what the schema does not declare, then checks what dropping does not. */
function jsonParser(
  schema: JsonObject,
  direction: 'input' | 'output',
): (value: Value) => StripResult | Promise<StripResult> {
  const strip = compileDefinitionSchema(schema, { tool: direction });
  if (isFullyStripped(schema)) return strip;
  return async (value) => {
    const stripped = strip(value);
    if (!stripped.ok) return stripped;
    const problems = (await compileFullSchema(schema))(stripped.value);
    if (problems.length === 0) return stripped;
    return { ok: false, problems: problems.map((message) => ({ path: [], message })) };
  };
}

/** Results travel, are stored and printed as JSON: what JSON cannot hold must not get lost on the way. */
function asJson(value: unknown): Value {
  if (value === undefined) return undefined;
  let text: string | undefined;
  try {
    // Copied first: Node's own writer does not end with a value that holds the same parts over and over.
    text = JSON.stringify(copyProgramValue(value));
  } catch (cause) {
    throw notJson((cause as Error).message);
  }
  if (text === undefined) throw notJson(`it is a ${typeof value}`);
  return JSON.parse(text) as Value;
}

function notJson(reason: string): StepError {
  return new StepError({
    code: 'tool_value_invalid',
    message: `the result of the tool is not JSON: ${reason}`,
  });
}
