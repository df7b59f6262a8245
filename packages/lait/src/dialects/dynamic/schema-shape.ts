import { isObject, type JsonValue } from '../../values/value.js';

/** A schema as the checks see it; undefined = nothing is known. */
export type KnownSchema = JsonValue | undefined;

/** The single type name of a schema, when it has one; only such schemas are compared. */
export function typeOf(schema: KnownSchema): string | undefined {
  return isObject(schema) && typeof schema.type === 'string' ? schema.type : undefined;
}

/** A declared property's schema; undefined when the schema does not declare it. */
function propertyOf(schema: KnownSchema, key: string): KnownSchema {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined;
  return Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

/** The schema of a list's items; undefined when none is declared. */
export function itemsOf(schema: KnownSchema): KnownSchema {
  return isObject(schema) ? schema.items : undefined;
}

/** Follows declared properties; undefined when one of them is not declared, or by something else than an object. */
export function schemaAt(schema: KnownSchema, segments: readonly string[]): KnownSchema {
  let current = schema;
  for (const segment of segments) {
    current = propertyOf(current, segment);
    if (!isObject(current)) return undefined;
  }
  return current;
}

/**
 * True unless it is certain that values of `source` do not fit `target`: both name one type and the types differ, an
 * object lacks a required property altogether, or common properties or items do not fit. Whether the source requires
 * a property does not matter. Source: dynamic facts §5, compatibility rule.
 */
export function mayFit(source: KnownSchema, target: KnownSchema): boolean {
  const from = typeOf(source);
  const to = typeOf(target);
  if (from === undefined || to === undefined) return true;
  if (family(from) !== family(to)) return false;
  if (to === 'array') return mayFit(itemsOf(source), itemsOf(target));
  if (to !== 'object' || !isObject(target)) return true;
  const required = Array.isArray(target.required) ? target.required : [];
  if (required.some((key) => typeof key === 'string' && propertyOf(source, key) === undefined)) return false;
  const properties = isObject(target.properties) ? target.properties : {};
  return Object.keys(properties).every((key) => mayFit(propertyOf(source, key), properties[key]));
}

function family(type: string): string {
  return type === 'integer' ? 'number' : type;
}
