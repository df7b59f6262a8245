import type { ErrorObject, Options } from 'ajv';
import type { JsonObject } from '../values/value.js';

/** Checks a value against a schema: every problem in one sentence, none when it fits. */
export type SchemaCheck = (value: unknown) => string[];

const options: Options = {
  allErrors: true,
  // Unknown keywords and formats are annotations, as the standard says; unknown names must not fail a tool.
  strict: false,
  validateFormats: false,
  // Names that came from outside never reach a prototype.
  ownProperties: true,
  logger: false,
};

const compiled = new WeakMap<JsonObject, Promise<SchemaCheck>>();

/**
 * Compiles a JSON Schema that is meant in full: the parameters of a tool, a schema given in code. Draft 2020-12 unless
 * `$schema` names draft 7 or older. The checker library is loaded on first use. Throws an `Error` that says what is
 * wrong with the schema; nothing is fetched for a `$ref`.
 */
export function compileFullSchema(schema: JsonObject): Promise<SchemaCheck> {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = compile(schema);
    compiled.set(schema, check);
  }
  return check;
}

async function compile(schema: JsonObject): Promise<SchemaCheck> {
  const older = typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema);
  const { Ajv } = older ? await import('ajv') : { Ajv: (await import('ajv/dist/2020.js')).Ajv2020 };
  const validate = new Ajv(options).compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(sentence));
}

function sentence({
  instancePath,
  keyword,
  message = 'does not fit the schema',
  params,
}: ErrorObject): string {
  const detail =
    keyword === 'enum'
      ? `: ${JSON.stringify(params.allowedValues)}`
      : keyword === 'const'
        ? `: ${JSON.stringify(params.allowedValue)}`
        : keyword === 'additionalProperties'
          ? `: '${params.additionalProperty}'`
          : '';
  return `${instancePath === '' ? 'the value' : instancePath} ${message}${detail}`;
}
