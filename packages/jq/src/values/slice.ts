import type { JsonObject, JsonValue } from './json.js';
import { raise } from './raise.js';

/** The whole positions that a slice `[from:to]` of something `length` long covers. */
export function sliceBounds(length: number, from: JsonValue, to: JsonValue): { start: number; end: number } {
  let start = from === null ? 0 : from;
  let end = to === null ? length : to;
  if (typeof start !== 'number' || typeof end !== 'number') {
    return raise('Array/string slice indices must be integers');
  }
  if (Number.isNaN(start)) start = 0;
  if (Number.isNaN(end)) end = length;
  if (start < 0) start += length;
  if (end < 0) end += length;
  start = Math.floor(Math.min(Math.max(start, 0), length));
  // Ends are exclusive: 3.5 takes the element that begins at 3.
  end = Math.ceil(Math.min(Math.max(end, 0), length));
  return { start, end: Math.max(start, end) };
}

/** The parts of a slice written as a path key, `{"start": 1, "end": null}`. */
export function sliceKey(key: JsonObject): { from: JsonValue; to: JsonValue } {
  if (!Object.hasOwn(key, 'start') || !Object.hasOwn(key, 'end')) {
    return raise('Array/string slice indices must be integers');
  }
  return { from: key.start ?? null, to: key.end ?? null };
}
