import { StepError } from '../errors/errors.js';
import type { StripResult } from '../schema/strip.js';
import type { JsonObject, Value } from '../values/value.js';

/**
 * What schema libraries (zod, valibot, arktype and others) agree on: the Standard Schema interface, version 1, with
 * the optional conversion to JSON Schema that newer versions of them offer.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** True for a schema of a library; schemas may be functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

/**
 * The JSON Schema of a library's schema, from the `input` or the `output` side of it; `undefined` when the library
 * offers no conversion or the schema has no such form (a transformation, a class instance).
 */
export function toJsonSchema(schema: StandardSchema, side: 'input' | 'output'): JsonObject | undefined {
  const { jsonSchema } = schema['~standard'];
  try {
    return jsonSchema?.[side]({ target: 'draft-2020-12' }) as JsonObject | undefined;
  } catch {
    return undefined;
  }
}

/** Checks and converts a value. Throws a `StepError` with every issue. */
export async function validateStandard(
  schema: StandardSchema,
  value: unknown,
  what: string,
): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join('');
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new StepError({
    code: 'tool_value_invalid',
    message: `${what} does not fit its schema: ${problems.join('; ')}`,
  });
}

/** The same, with the problems as data. */
export async function parseStandard(schema: StandardSchema, value: Value): Promise<StripResult> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value as Value };
  const problems = result.issues.map(({ message, path = [] }) => ({
    path: path.map((part) => String(typeof part === 'object' ? part.key : part)),
    message,
  }));
  return { ok: false, problems };
}
