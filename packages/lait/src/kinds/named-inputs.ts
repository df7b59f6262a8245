import { StepError } from '../errors/errors.js';
import { isObject, type JsonObject, type Value } from '../values/value.js';

/**
 * The inputs of a node of the graph form: an object of values. Throws a `StepError` (code `inputs_invalid`) when a
 * reference gave something else for all of them. Source: graph facts §2.
 */
export function namedInputs(input: Value): JsonObject {
  if (isObject(input)) return input;
  const given = input === null ? 'null' : Array.isArray(input) ? 'a list' : typeof input;
  throw new StepError({
    code: 'inputs_invalid',
    message: `inputs must be an object of values, not ${given}`,
  });
}
