import { StepError } from '../errors/errors.js';
import { type ReadFileOptions, readTextFile } from '../files/read-file.js';
import { isObject, type JsonObject } from '../values/value.js';
import { checkSchema } from './check-schema.js';
import type { SchemaSource } from './schema-source.js';

/**
 * The schema itself: the body, or the JSON file read now. Throws a `LaitError` of `readTextFile`, or a `StepError`
 * (code `schema_invalid`) when the file is no JSON or no schema.
 */
export async function loadSchema(source: SchemaSource, options: ReadFileOptions = {}): Promise<JsonObject> {
  if (source.file === undefined) return source.body ?? {};
  const text = await readTextFile(source.file, options);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw invalid(source.file, `is no JSON: ${(cause as Error).message}`);
  }
  if (!isObject(schema)) throw invalid(source.file, 'is no JSON Schema: it must be an object');
  const problem = checkSchema(schema).find(({ severity }) => severity === 'error');
  if (problem !== undefined) {
    throw invalid(
      source.file,
      `is no JSON Schema: at ${problem.path.join('.') || 'the top'}, ${problem.message}`,
    );
  }
  return schema;
}

function invalid(file: string, reason: string): StepError {
  return new StepError({
    code: 'schema_invalid',
    category: 'definition',
    message: `the schema file ${file} ${reason}`,
  });
}
