import { isObject, type JsonValue } from '../../../values/value.js';
import { type EntrySite, leavesOf } from '../entries.js';
import type { Issue, Warning } from '../issue.js';

/** Keywords that change what a schema accepts and are not understood: refused. In the order of reports. */
const unsupportedKeywords = ['oneOf', 'anyOf', 'allOf', 'not', '$ref', 'patternProperties', 'discriminator'];

/** Keywords that are read and change nothing. Everything else in a schema is ignored without `strictSchemas`. */
const harmlessKeywords = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'title',
  'description',
  'examples',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** A schema in a definition, with the name that messages give it. */
interface EmbeddedSchema {
  schema: JsonValue | undefined;
  path: string;
  name: string;
}

/** Every schema of a definition: those of the workflow, then those of agent steps in graph order. */
export function embeddedSchemas(
  definition: { readonly [key: string]: JsonValue },
  sites: readonly EntrySite[],
): EmbeddedSchema[] {
  const own = ['inputSchema', 'outputSchema', 'stateSchema', 'requestContextSchema'].map((key) => ({
    schema: definition[key],
    path: key,
    name: key,
  }));
  const ofAgents = leavesOf(sites)
    .filter(({ type, entry }) => type === 'agent' && entry.outputSchema !== undefined)
    .map(({ entry, path, id }) => ({
      schema: entry.outputSchema,
      path: `${path}.outputSchema`,
      name: `step "${String(id)}" outputSchema`,
    }));
  return [...own, ...ofAgents];
}

/** One issue for each schema that uses an unsupported keyword, listing all places. Source: dynamic facts §5. */
export function checkSchemaKeywords(schemas: readonly EmbeddedSchema[]): Issue[] {
  return schemas.flatMap(({ schema, path, name }) => {
    const found: string[] = [];
    walkSchema(schema, '', (node, pointer) => {
      for (const keyword of unsupportedKeywords) {
        if (Object.hasOwn(node, keyword)) found.push(`${pointer === '' ? '#' : pointer}: ${keyword}`);
      }
    });
    if (found.length === 0) return [];
    const message = `${name} uses JSON Schema keyword(s) that cannot be converted: ${found.join(', ')}. Simplify the schema.`;
    return [{ code: 'unsupported-schema-keyword' as const, path, message }];
  });
}

/** Keywords that a definition states and nothing honours, one warning for each schema. */
export function warnOfIgnoredKeywords(schemas: readonly EmbeddedSchema[]): Warning[] {
  return schemas.flatMap(({ schema, path, name }) => {
    const found: string[] = [];
    walkSchema(schema, '', (node, pointer) => {
      for (const [keyword, value] of Object.entries(node)) {
        const honoured = harmlessKeywords.has(keyword) || unsupportedKeywords.includes(keyword);
        const keepsExtras = keyword === 'additionalProperties' && value === true;
        if (!honoured && !keepsExtras) found.push(`${pointer === '' ? '#' : pointer}: ${keyword}`);
      }
    });
    if (found.length === 0) return [];
    return [
      {
        code: 'ignored-schema-keyword' as const,
        path,
        message: `${name} uses JSON Schema keyword(s) that are ignored: ${found.join(', ')}.`,
        hint: 'set strictSchemas: true to have them checked',
      },
    ];
  });
}

type Visit = (node: { readonly [key: string]: JsonValue }, pointer: string) => void;

function walkSchema(schema: JsonValue | undefined, pointer: string, visit: Visit): void {
  if (!isObject(schema)) return;
  visit(schema, pointer);
  if (isObject(schema.properties)) {
    for (const [key, property] of Object.entries(schema.properties)) {
      walkSchema(property, `${pointer}/properties/${key}`, visit);
    }
  }
  if (Array.isArray(schema.items)) {
    schema.items.forEach((item, index) => {
      walkSchema(item, `${pointer}/items/${index}`, visit);
    });
  } else walkSchema(schema.items, `${pointer}/items`, visit);
  walkSchema(schema.additionalProperties, `${pointer}/additionalProperties`, visit);
}
