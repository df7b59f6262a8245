import type { InputDeclaration, InputDeclarations } from '../../plan/inputs.js';
import { didYouMean } from '../../plan/suggest.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import type { SourceNode } from '../../plan/yaml/source-node.js';
import { jsonSchemaKeywords } from '../../schema/json-schema-keywords.js';
import { validateSubset } from '../../schema/validate.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import { ambiguity } from './ambiguous-text.js';
import type { FieldCompiler } from './compile-fields.js';
import { checkSchemaBody } from './compile-schema.js';

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
    warnOfMisspeltKeywords(at, place.field, compiler);
    const { errors } = compiler.problems;
    checkSchemaBody(schema, at, place, compiler);
    if (!declaration.required && compiler.problems.errors === errors) {
      for (const problem of validateSubset(schema, fallback, 'the default')) {
        const message = `${place.field}: ${problem}`;
        const written = nodeAt(at, ['default']);
        const hint = quotesHint(schema, written);
        compiler.problems.add({ code: 'bad_default', message, range: written.range, ...hint });
      }
    }
    warnOfAmbiguousTexts(schema, at, place.field, compiler);
    setOwnProperty(declarations, name, declaration);
  }
  return declarations;
}

/** Other keywords are allowed: schemas may carry what other tools read. */
function warnOfMisspeltKeywords(at: SourceNode, field: string, compiler: FieldCompiler): void {
  if (at.type !== 'map') return;
  for (const { key, keyRange } of at.entries.values()) {
    const hint = jsonSchemaKeywords.includes(key) ? undefined : didYouMean(key, jsonSchemaKeywords);
    if (hint === undefined) continue;
    const message = `${field}: '${key}' is no keyword of JSON Schema and says nothing`;
    compiler.problems.add({ code: 'unknown_keyword', severity: 'warning', message, hint, range: keyRange });
  }
}

/** What was meant as text and read as a number, a truth value or nothing. */
function quotesHint({ type }: JsonObject, node: SourceNode): { hint?: string } {
  if (type !== 'string' || node.type !== 'scalar' || node.style !== 'plain') return {};
  return { hint: `write it in quotes: '${node.written}'` };
}

/** Texts that a schema gives for its values, where other tools would read something else. Field report FR-31. */
function warnOfAmbiguousTexts(
  schema: JsonObject,
  at: SourceNode,
  field: string,
  compiler: FieldCompiler,
): void {
  const choices = Array.isArray(schema.enum) ? schema.enum.map((_, index) => ['enum', index]) : [];
  for (const path of [...('default' in schema ? [['default']] : []), ...choices]) {
    const node = nodeAt(at, path);
    const ambiguous = node.type === 'scalar' ? ambiguity(node) : undefined;
    if (ambiguous === undefined) continue;
    const message = `${field}: ${path.join(' ')}: ${ambiguous}`;
    compiler.problems.add({ code: 'ambiguous_scalar', severity: 'warning', message, range: node.range });
  }
}

function schemaOf(declared: unknown): JsonObject {
  if (typeof declared === 'string') return { type: declared };
  return isObject(declared) ? declared : {};
}
