import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';

/** Members that count as absent when they are null. Source: dynamic facts §1.2. */
const optionalMembers = {
  definition: ['description', 'metadata', 'stateSchema', 'requestContextSchema'],
  entry: ['description', 'metadata', 'outputSchema', 'options', 'opts'],
  options: ['retries', 'metadata'],
  opts: ['concurrency'],
} as const;

const containers = new Set<JsonValue | undefined>(['parallel', 'conditional', 'foreach', 'loop']);

/** Drops null from optional members, in place. Anything of an unexpected shape stays as it is. */
export function dropNulls(definition: JsonObject): void {
  drop(definition, optionalMembers.definition);
  if (!Array.isArray(definition.graph)) return;
  for (const entry of definition.graph) {
    normaliseEntry(entry);
    if (!isObject(entry)) continue;
    normaliseEntry(entry.step);
    if (Array.isArray(entry.steps)) entry.steps.forEach(normaliseEntry);
  }
}

function normaliseEntry(entry: JsonValue | undefined): void {
  if (!isObject(entry)) return;
  drop(entry, optionalMembers.entry);
  if (containers.has(entry.type)) drop(entry, ['id']);
  if (isObject(entry.options)) drop(entry.options, optionalMembers.options);
  if (isObject(entry.opts)) drop(entry.opts, optionalMembers.opts);
}

function drop(object: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (object[key] === null) delete object[key];
}
