import type { InputDeclaration, InputDeclarations } from '../../plan/inputs.js';
import { validateSubset } from '../../schema/validate.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import type { FieldCompiler } from './compile-fields.js';
import { checkSchemaBody } from './compile-schema.js';
import { nodeAt } from './json-of.js';
import type { SourceNode } from './source-node.js';

/** Makes the declarations from `inputs:`. A default that breaks its own schema is a problem. Source: facts §6. */
export function declareInputs(
  fields: Readonly<Record<string, unknown>>,
  node: SourceNode,
  compiler: FieldCompiler,
): InputDeclarations {
  const declarations: Record<string, InputDeclaration> = {};
  for (const [name, declared] of Object.entries(fields)) {
    const schema = schemaOf(declared);
    const declaration: InputDeclaration = { schema, required: !Object.hasOwn(schema, 'default') };
    const { description, default: fallback } = schema;
    if (!declaration.required) declaration.default = fallback as JsonValue;
    if (typeof description === 'string') declaration.description = description;
    const at = nodeAt(node, [name]);
    const place = { field: `inputs.${name}`, block: '' };
    const { errors } = compiler.problems;
    checkSchemaBody(schema, at, place, compiler);
    if (!declaration.required && compiler.problems.errors === errors) {
      for (const problem of validateSubset(schema, fallback, 'the default')) {
        const message = `${place.field}: ${problem}`;
        compiler.problems.add({ code: 'bad_default', message, range: nodeAt(at, ['default']).range });
      }
    }
    setOwnProperty(declarations, name, declaration);
  }
  return declarations;
}

function schemaOf(declared: unknown): JsonObject {
  if (typeof declared === 'string') return { type: declared };
  return isObject(declared) ? declared : {};
}
