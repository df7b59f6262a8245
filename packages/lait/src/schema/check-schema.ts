import { isObject, type JsonValue } from '../values/value.js';
import { isTypeName, typeNames } from './type-names.js';

/** Something in a schema that is no JSON Schema, or a type name that nothing knows. */
export interface SchemaProblem {
  path: readonly (string | number)[];
  message: string;
  severity: 'error' | 'warning';
}

/** Deeper schemas are refused: whoever walks one must not run out of stack. */
const deepest = 200;

/** Checks the shape of the keywords that validation reads: `type`, `enum`, `required`, `properties`, `items`. */
export function checkSchema(schema: JsonValue, path: readonly (string | number)[] = []): SchemaProblem[] {
  if (typeof schema === 'boolean') return [];
  if (path.length > 2 * deepest) {
    return [{ path: [], severity: 'error', message: `the schema is nested deeper than ${deepest} levels` }];
  }
  if (!isObject(schema)) return [{ path, severity: 'error', message: 'a schema must be a mapping' }];
  const problems: SchemaProblem[] = [];
  const error = (key: string, message: string) =>
    problems.push({ path: [...path, key], severity: 'error', message: `${key} of a schema ${message}` });
  if (Object.hasOwn(schema, 'type')) problems.push(...checkType(schema.type!, [...path, 'type']));
  if (Object.hasOwn(schema, 'enum') && !Array.isArray(schema.enum)) error('enum', 'must be a list of values');
  if (Object.hasOwn(schema, 'required')) {
    const { required } = schema;
    const fits = Array.isArray(required) && required.every((name) => typeof name === 'string');
    if (!fits) error('required', 'must be a list of property names');
  }
  if (Object.hasOwn(schema, 'properties')) {
    const { properties } = schema;
    if (!isObject(properties)) error('properties', 'must be a mapping of names to schemas');
    else {
      for (const [name, property] of Object.entries(properties)) {
        problems.push(...checkSchema(property, [...path, 'properties', name]));
      }
    }
  }
  if (Object.hasOwn(schema, 'items')) {
    const items = schema.items!;
    if (Array.isArray(items)) {
      for (const [index, item] of items.entries())
        problems.push(...checkSchema(item, [...path, 'items', index]));
    } else problems.push(...checkSchema(items, [...path, 'items']));
  }
  return problems;
}

function checkType(type: JsonValue, path: readonly (string | number)[]): SchemaProblem[] {
  const names = Array.isArray(type) ? type : [type];
  return names.flatMap((name, index): SchemaProblem[] => {
    const place = Array.isArray(type) ? [...path, index] : path;
    if (typeof name !== 'string') {
      return [
        { path: place, severity: 'error', message: 'type of a schema must be a name or a list of names' },
      ];
    }
    if (isTypeName(name)) return [];
    const message = `'${name}' is no type of JSON Schema and accepts every value; types are ${typeNames.join(', ')}`;
    return [{ path: place, severity: 'warning', message }];
  });
}
