import { describe, shorten } from '../values/describe.js';
import type { JsonValue } from '../values/json.js';
import { raise } from '../values/raise.js';
import type { Context } from './context.js';

/**
 * A path from the root of a path expression, linked towards the root. It remembers the value it leads to: a
 * program may compute other values meanwhile, and only what is still that very value can be followed further.
 */
export class Path {
  constructor(
    readonly parent: Path | null,
    readonly key: JsonValue,
    readonly value: JsonValue,
  ) {}
}

/** The path `[]` of a value. */
export function rootPath(value: JsonValue): Path {
  return new Path(null, null, value);
}

/** Whether `value` is the very value `path` leads to. Equal strings count as the same. */
function leadsTo(path: Path, value: JsonValue): boolean {
  return path.value === value || (Number.isNaN(path.value) && Number.isNaN(value));
}

/** Refuses to follow a path from a value it does not lead to. */
export function checkAccess(path: Path, value: JsonValue, key: JsonValue): void {
  if (leadsTo(path, value)) return;
  raise(`Invalid path expression near attempt to access element ${shorten(key)} of ${shorten(value)}`);
}

export function checkIteration(path: Path, value: JsonValue): void {
  if (leadsTo(path, value)) return;
  raise(`Invalid path expression near attempt to iterate through ${shorten(value)}`);
}

/** The keys of a finished path expression with this result. */
export function finishPath(path: Path, value: JsonValue, context: Context): JsonValue[] {
  if (!leadsTo(path, value)) raise(`Invalid path expression with result ${shorten(value)}`);
  const keys: JsonValue[] = [];
  for (let step = path; step.parent !== null; step = step.parent) keys.push(step.key);
  // The paths of a deep value together take the square of its depth.
  context.chargeCopies(keys.length);
  return keys.reverse();
}

/** The message for iterating what has no elements. */
export function cannotIterate(value: JsonValue): never {
  return raise(`Cannot iterate over ${describe(value ?? null)}`);
}
