import path from 'node:path';
import { didYouMean } from '../../plan/suggest.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import { type ScalarNode, type SourceNode, shorten } from '../../plan/yaml/source-node.js';
import { checkSchema } from '../../schema/check-schema.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import type { JsonObject } from '../../values/value.js';
import type { FieldCompiler } from './compile-fields.js';
import type { Place } from './place.js';

/** A schema: a name of `schemas:` (unless `unnamed`), a body, or `{file: …}`. Undefined when it is wrong. */
export function compileSchema(
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
  unnamed = false,
): SchemaSource | undefined {
  if (node.type === 'scalar' && typeof node.value === 'string' && !unnamed)
    return namedSchema(node, place, compiler);
  if (node.type !== 'map') {
    return compiler.wrongType(
      node,
      place,
      unnamed ? 'a schema (a mapping)' : 'a schema: a name of schemas:, a mapping, or { file: … }',
    );
  }
  const file = node.entries.size === 1 ? node.entries.get('file')?.value : undefined;
  if (file !== undefined) {
    if (file.type !== 'scalar' || typeof file.value !== 'string') {
      return compiler.wrongType(file, { ...place, field: `${place.field}.file` }, 'the path of a JSON file');
    }
    if (file.value.trim() === '') {
      compiler.add(
        { code: 'bad_value', message: `${place.field}: the file has no name`, range: file.range },
        place,
      );
      return undefined;
    }
    return { file: path.resolve(compiler.options.directory ?? '', file.value) };
  }
  const body = compiler.json(node) as JsonObject;
  checkSchemaBody(body, node, place, compiler);
  return { body };
}

/** Reports what is wrong with a schema's body at its places in `node`. */
export function checkSchemaBody(
  body: JsonObject,
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
): void {
  for (const { path: way, message, severity } of checkSchema(body)) {
    const code = severity === 'warning' ? 'unknown_type_name' : 'bad_schema';
    compiler.add(
      { code, severity, message: `${place.field}: ${message}`, range: nodeAt(node, way).range },
      place,
    );
  }
}

function namedSchema(node: ScalarNode, place: Place, compiler: FieldCompiler): SchemaSource | undefined {
  const name = node.value as string;
  const found = compiler.options.schema?.(name);
  if (found !== undefined) return found;
  const names = compiler.options.schemaNames?.() ?? [];
  const looksLikeFile = /[/\\]|\.(json|ya?ml)$/.test(name);
  const known = names.length === 0 ? 'schemas: names none' : `schemas: has ${names.join(', ')}`;
  compiler.add(
    {
      code: 'unknown_schema',
      message: `${place.field}: there is no schema '${shorten(name)}'`,
      hint: looksLikeFile
        ? `a file is written as { file: ${shorten(name)} }`
        : (didYouMean(name, names) ?? known),
      range: node.range,
    },
    place,
  );
  return undefined;
}
