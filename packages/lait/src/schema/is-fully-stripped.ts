import { isObject } from '../values/value.js';
import { isPrimitive } from './strip.js';

/** Keywords that stripping checks in full, and those that state nothing. */
const checkedKeywords = new Set([
  'type',
  'properties',
  'required',
  'items',
  'const',
  'enum',
  'default',
  'title',
  'description',
]);

const knownTypes = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/** True when stripping by the schema leaves nothing for a full check of it to find. */
export function isFullyStripped(schema: unknown): boolean {
  if (!isObject(schema)) return schema === undefined || schema === true;
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const known = Object.keys(schema).every(
    (key) =>
      checkedKeywords.has(key) ||
      (key === 'additionalProperties' && typeof additionalProperties === 'boolean'),
  );
  if (!known || !isObject(properties) || !Array.isArray(required)) return false;
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  if (!types.every((type) => typeof type === 'string' && knownTypes.has(type))) return false;
  const allowed = Array.isArray(schema.enum) ? schema.enum : schema.enum === undefined ? [null] : [];
  if (allowed.length === 0 || ![...allowed, schema.const ?? null].every(isPrimitive)) return false;
  // A constant or an enumeration is all that stripping looks at.
  if (types.length > 0 && (schema.enum !== undefined || schema.const !== undefined)) return false;
  if (required.some((key) => typeof key !== 'string' || !Object.hasOwn(properties, key))) return false;
  if (schema.type === undefined && ['properties', 'items'].some((key) => Object.hasOwn(schema, key)))
    return false;
  return isFullyStripped(items) && Object.values(properties).every(isFullyStripped);
}
