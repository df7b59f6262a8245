import { StepError } from '../errors/errors.js';
import { loadSchema } from '../schema/load-schema.js';
import type { SchemaSource } from '../schema/schema-source.js';
import { validateSubset } from '../schema/validate.js';
import type { JsonObject, Value } from '../values/value.js';
import type { StepContext } from './kind.js';

/** What a structured reply must look like. */
export interface OutputFormat {
  name: string;
  schema: JsonObject;
}

/** Throws a `StepError` (code `input_invalid`) when a value, the step's input by default, breaks `input_schema`. */
export async function checkInput(
  source: SchemaSource | undefined,
  context: StepContext,
  value: Value = context.input,
): Promise<void> {
  if (source === undefined) return;
  const schema = await loadSchema(source, { signal: context.cancel.signal });
  const problems = validateSubset(schema, value, 'input');
  if (problems.length > 0) {
    throw new StepError({
      code: 'input_invalid',
      message: `the input breaks input_schema: ${problems.join('; ')}`,
      details: { problems },
    });
  }
}

/**
 * The format of a structured reply, if one is asked for. Its name is `schema_name`, else the name under `schemas:`,
 * else `structured_output`. Source: steps seed, `prompt`; facts §4.
 */
export async function outputFormat(
  source: SchemaSource | undefined,
  schemaName: string | undefined,
  signal: AbortSignal,
): Promise<OutputFormat | undefined> {
  if (source === undefined) return undefined;
  const name = schemaName ?? source.name ?? 'structured_output';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new StepError({
      code: 'schema_name_invalid',
      category: 'definition',
      message: `'${name}' is no name for a structured output: use 1 to 64 letters, digits, '_' or '-'; set schema_name`,
    });
  }
  return { name, schema: await loadSchema(source, { signal }) };
}
