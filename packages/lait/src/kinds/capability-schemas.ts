import { StepError } from '../errors/errors.js';
import { compileFullSchema } from '../schema/full-schema.js';
import { checkGraphSchema } from '../schema/graph-schema.js';
import { checkGraphValue, describeProblems } from '../schema/graph-value.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';
import type { Capability } from './services.js';

/** Fails a call whose inputs the capability does not take; unknown ones are refused. Source: graph facts §2.1. */
export async function checkCapabilityInputs(
  { key, input_schema }: Capability,
  inputs: JsonObject,
): Promise<void> {
  if (input_schema === undefined) return;
  const problems = await problemsOf(strictInputSchema(input_schema), inputs, 'inputs');
  if (problems === undefined) return;
  throw new StepError({
    code: 'inputs_invalid',
    message: `capability '${key}' does not take these inputs: ${problems}`,
  });
}

/** What an output does not keep of its declared schema, in one sentence; undefined when it fits. Source: facts §7.3. */
export async function outputMismatch(
  { output_schema }: Capability,
  output: JsonObject,
): Promise<string | undefined> {
  if (Object.hasOwn(output, 'error')) return "output has a top-level 'error'";
  return output_schema === undefined ? undefined : problemsOf(output_schema, output, 'output');
}

/** Inputs that the schema does not name are refused, unless it says that others may be there. */
export function strictInputSchema(schema: JsonObject): JsonObject {
  const closed =
    !isObject(ownProperty(schema, 'properties')) || Object.hasOwn(schema, 'additionalProperties');
  return closed ? schema : { ...schema, additionalProperties: false };
}

/** Schemas of foreign tools may use all of JSON Schema; the graph form's own subset needs no library. */
async function problemsOf(schema: JsonObject, value: JsonValue, name: string): Promise<string | undefined> {
  if (checkGraphSchema(schema).length === 0) {
    const problems = checkGraphValue(schema, value);
    return problems.length === 0 ? undefined : describeProblems(name, problems);
  }
  const problems = (await compileFullSchema(schema))(value);
  return problems.length === 0 ? undefined : problems.join('; ');
}
