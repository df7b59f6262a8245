import type { JsonObject, JsonValue } from '../values/value.js';

/**
 * One description of a field: the readers check files against it, compile by it, and the JSON Schemas that editors
 * use are generated from it, so the three cannot drift.
 */
export type Field = FieldBase & FieldType;

interface FieldBase {
  /** Shown by editors and in the documentation. */
  description: string;
  required?: boolean;
  /** Another field without which this one means nothing, e.g. `schema_name` without `output_schema`. */
  requires?: string;
}

/**
 * A problem that a room or a kind finds by itself: what is wrong and what to do, without the position and the step.
 * `path` leads from the value that was checked (for kinds the step) to the value at fault.
 */
export interface FieldProblem {
  path: readonly (string | number)[];
  message: string;
  hint?: string;
}

export type FieldType =
  /** A jq expression with exactly one result; compiled to an Expression. */
  | { type: 'jq' }
  /** A template; compiled to an Expression that gives text. `notBlank`: the source holds more than white space. */
  | { type: 'template'; notBlank?: boolean }
  /** Plain text. `notBlank`: at least one character that is no white space. */
  | { type: 'text'; notBlank?: boolean; pattern?: string; patternHint?: string }
  | { type: 'integer'; minimum?: number; maximum?: number }
  | { type: 'number'; minimum?: number; maximum?: number }
  | { type: 'boolean' }
  /** Exactly one of these values. */
  | { type: 'choice'; values: readonly (string | number | boolean)[] }
  /** A list of one of the other types. */
  | { type: 'list'; items: FieldType; minItems?: number }
  /** Names chosen by the author to values of one type. `names`: what a name may look like. */
  | { type: 'map'; values: FieldType; names?: 'identifier' | 'any'; minEntries?: number }
  /** A fixed set of keys; others are refused. */
  | { type: 'object'; fields: FieldTable }
  /** A mapping whose field `tag` says which of several tables its other fields follow. The tag stays among the fields. */
  | { type: 'variants'; tag: string; tables: Readonly<Record<string, FieldTable>> }
  /** A list of steps; compiled to a Block. */
  | { type: 'block' }
  /** A schema: a name of `schemas:` (unless `unnamed`), a body, or `{file: …}`; compiled to a SchemaSource. */
  | { type: 'schema'; unnamed?: boolean }
  /** One of several shapes, the first that fits by the value's YAML type. */
  | { type: 'union'; options: readonly FieldType[] }
  /** Any JSON value. */
  | { type: 'json' }
  /** Nothing behind the key. */
  | { type: 'empty' }
  /** Checked by code of the room that owns it; `schema` is what editors see. */
  | { type: 'custom'; name: string; schema: JsonObject; check(value: JsonValue): readonly FieldProblem[] };

export interface FieldTable {
  readonly [name: string]: Field;
}
