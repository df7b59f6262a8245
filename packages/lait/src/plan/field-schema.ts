import type { JsonObject } from '../values/value.js';
import type { Field, FieldTable, FieldType } from './fields.js';
import { namePattern } from './names.js';

/** Definitions that the schema of a field may point to, by name below `$defs`. */
export interface SchemaReferences {
  /** Pointer to the schema of a list of steps. */
  block?: string;
}

/** The JSON Schema of a whole file. */
export function documentSchema(title: string, description: string, table: FieldTable): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    ...tableSchema(table),
  };
}

/** JSON Schema (draft 2020-12) of an object with the fields of a table; other keys are refused. */
export function tableSchema(table: FieldTable, references: SchemaReferences = {}): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  const dependentRequired: JsonObject = {};
  for (const [name, field] of Object.entries(table)) {
    properties[name] = fieldSchema(field, references);
    if (field.required === true) required.push(name);
    if (field.requires !== undefined) dependentRequired[name] = [field.requires];
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(dependentRequired).length > 0 ? { dependentRequired } : {}),
    additionalProperties: false,
  };
}

/** JSON Schema of one field, with its description. */
function fieldSchema(field: Field, references: SchemaReferences = {}): JsonObject {
  return { description: field.description, ...typeSchema(field, references) };
}

function typeSchema(type: FieldType, references: SchemaReferences): JsonObject {
  switch (type.type) {
    case 'jq':
      return { type: 'string' };
    case 'template':
      return { type: 'string', ...(type.notBlank === true ? { pattern: '\\S' } : {}) };
    case 'text':
      return textSchema(type);
    case 'integer':
    case 'number':
      return { type: type.type, ...bounds(type) };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: [...type.values] };
    case 'list':
      return {
        type: 'array',
        items: typeSchema(type.items, references),
        ...(type.minItems === undefined ? {} : { minItems: type.minItems }),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: typeSchema(type.values, references),
        ...(type.names === 'identifier' ? { propertyNames: { pattern: namePattern } } : {}),
        ...(type.minEntries === undefined ? {} : { minProperties: type.minEntries }),
      };
    case 'object':
      return tableSchema(type.fields, references);
    case 'variants':
      return variantsSchema(type, references);
    case 'block':
      return { $ref: references.block ?? '#/$defs/steps' };
    case 'schema':
      return schemaOfSchema(type.unnamed === true);
    case 'union':
      return { anyOf: type.options.map((option) => typeSchema(option, references)) };
    case 'json':
      return {};
    case 'empty':
      return { type: 'null' };
    case 'custom':
      return type.schema;
  }
}

/** One object schema for each variant, told apart by its tag. */
function variantsSchema(
  { tag, tables }: Extract<FieldType, { type: 'variants' }>,
  references: SchemaReferences,
): JsonObject {
  const variants = Object.entries(tables).map(([name, table]) => {
    const { properties, required = [], ...schema } = tableSchema(table, references);
    return {
      ...schema,
      properties: { [tag]: { const: name }, ...(properties as JsonObject) },
      required: [tag, ...(required as string[])],
    };
  });
  return { anyOf: variants };
}

function textSchema(type: Extract<FieldType, { type: 'text' }>): JsonObject {
  const pattern = type.pattern ?? (type.notBlank === true ? '\\S' : undefined);
  return { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
}

function bounds({ minimum, maximum }: { minimum?: number; maximum?: number }): JsonObject {
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}

/** A name of `schemas:`, `{file: …}`, or a schema written out. */
function schemaOfSchema(unnamed: boolean): JsonObject {
  const body = { type: 'object' };
  return unnamed ? body : { anyOf: [{ type: 'string', minLength: 1 }, body] };
}
