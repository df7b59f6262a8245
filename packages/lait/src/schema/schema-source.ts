import type { JsonObject } from '../values/value.js';

/** Where a JSON Schema comes from: a body in the file, or a JSON file read when it is first needed. */
export interface SchemaSource {
  /** The name under `schemas:`, when it has one: it also names structured output. */
  name?: string;
  body?: JsonObject;
  /** Absolute path of a JSON file. */
  file?: string;
}
