import { isObject, type JsonValue, ownProperty } from '../../values/value.js';

/** What a schema says about a path below its root. */
export type SchemaPathResult =
  /** Declared; `required` when every part of the way must be there. */
  | { kind: 'declared'; schema: JsonValue | undefined; required: boolean }
  /** Nothing is declared: any value may be there. */
  | { kind: 'open' }
  /** Not declared, although the schema declares others; `closed` when others are forbidden. */
  | { kind: 'undeclared'; closed: boolean; part: string; known: readonly string[] }
  /** The declared type has no such parts. */
  | { kind: 'impossible'; part: string; type: string };

/** Follows a path through the declared schema. */
export function followSchema(
  schema: JsonValue | undefined,
  path: readonly (string | number)[],
): SchemaPathResult {
  let current = schema;
  let required = true;
  for (const part of path) {
    if (!isObject(current)) return { kind: 'open' };
    const type = ownProperty(current, 'type');
    if (typeof type !== 'string') return { kind: 'open' };
    const shown = typeof part === 'number' ? `[${part}]` : `.${part}`;
    if (typeof part === 'number') {
      if (type !== 'array') return { kind: 'impossible', part: shown, type };
      current = ownProperty(current, 'items');
      required = false;
      continue;
    }
    if (type !== 'object') return { kind: 'impossible', part: shown, type };
    const properties = ownProperty(current, 'properties');
    const closed = ownProperty(current, 'additionalProperties') === false;
    const child = isObject(properties) ? ownProperty(properties, part) : undefined;
    if (child === undefined) {
      if (!isObject(properties) && !closed) return { kind: 'open' };
      return { kind: 'undeclared', closed, part, known: Object.keys(isObject(properties) ? properties : {}) };
    }
    const names = ownProperty(current, 'required');
    required &&= Array.isArray(names) && names.includes(part);
    current = child;
  }
  return { kind: 'declared', schema: current, required };
}
