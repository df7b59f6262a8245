import { UsageError } from '../errors/errors.js';
import { validateSubset } from '../schema/validate.js';
import { lossyIntegers } from '../values/lossy-integers.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty, type Value } from '../values/value.js';
import { didYouMean } from './suggest.js';

/** One entry of `inputs:`. */
export interface InputDeclaration {
  /** The JSON Schema as written, `default` and `description` included. */
  schema: JsonObject;
  /** True without a default. */
  required: boolean;
  default?: JsonValue;
  description?: string;
}

export type InputDeclarations = Readonly<Record<string, InputDeclaration>>;

/** The properties of an object schema as declarations, for reading `--input` by them. */
export function declarationsOfSchema(schema: JsonObject | undefined): InputDeclarations {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { schema: isObject(property) ? property : {}, required: required.includes(name) },
    ]),
  );
}

/** Reads piped text for a workflow with an input schema: JSON, unless a text is what it takes or the text is none. */
export function readInputText(schema: JsonObject | undefined, text: string): JsonValue {
  return schema === undefined || schema.type === 'string' ? text : jsonOrText(text);
}

/**
 * Reads the arguments of `--input KEY=VALUE`: split at the first `=`, later ones win; an input declared as exactly
 * `type: string` keeps the text, everything else is JSON if it can be read as JSON, else text. Undeclared names are
 * kept for `acceptInputs` to refuse. Throws a `UsageError` (code `input_argument`).
 * Source: steps seed, `inputs:` と `--input`; facts §9.
 */
export function parseInputArguments(
  declarations: InputDeclarations,
  pairs: readonly string[],
): { inputs: JsonObject; warnings: string[] } {
  const inputs: JsonObject = {};
  const warnings: string[] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) {
      throw new UsageError({
        code: 'input_argument',
        message: `--input '${pair}' must be KEY=VALUE${at === 0 ? ' with a key before the `=`' : ''}`,
      });
    }
    const name = pair.slice(0, at);
    const text = pair.slice(at + 1);
    const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
    if (declaration?.schema.type === 'string') setOwnProperty(inputs, name, text);
    else {
      const value = jsonOrText(text);
      if (typeof value !== 'string') {
        for (const integer of lossyIntegers(text)) {
          warnings.push(
            `input '${name}': the integer ${integer} loses digits; declare the input as a string to keep it`,
          );
        }
      }
      setOwnProperty(inputs, name, value);
    }
  }
  return { inputs, warnings };
}

function jsonOrText(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'number' && !Number.isFinite(value) ? text : value;
  } catch {
    return text;
  }
}

/**
 * Completes and checks the inputs that a caller hands over: undeclared names are refused, defaults filled in, missing
 * ones named with their description, types checked. All problems in one `UsageError` (code `inputs_invalid`).
 */
export function acceptInputs(declarations: InputDeclarations, given: Value): JsonObject {
  if (given !== undefined && given !== null && !isObject(given)) {
    throw new UsageError({ code: 'inputs_invalid', message: 'inputs must be an object of names to values' });
  }
  const accepted: JsonObject = {};
  const problems: string[] = [];
  const values = given ?? {};
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(declarations, name)) problems.push(undeclared(name, Object.keys(declarations)));
  }
  for (const [name, declaration] of Object.entries(declarations)) {
    if (Object.hasOwn(values, name)) {
      const value = values[name]!;
      problems.push(...validateSubset(declaration.schema, value, `input '${name}'`));
      setOwnProperty(accepted, name, value);
    } else if (declaration.default !== undefined) setOwnProperty(accepted, name, declaration.default);
    else {
      const about = declaration.description === undefined ? '' : ` (${declaration.description})`;
      problems.push(`input '${name}'${about} is required`);
    }
  }
  if (problems.length > 0) {
    throw new UsageError({ code: 'inputs_invalid', message: problems.join('; '), details: { problems } });
  }
  return accepted;
}

function undeclared(name: string, declared: readonly string[]): string {
  const hint = didYouMean(name, declared);
  const known =
    declared.length === 0 ? 'the workflow declares no inputs' : `declared are ${declared.join(', ')}`;
  return `input '${name}' is not declared: ${hint ?? known}`;
}
