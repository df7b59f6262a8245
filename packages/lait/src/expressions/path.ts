import type { Value } from '../values/value.js';

/** A way into a value: own keys and array indexes, outermost first. Empty = the whole value. */
export type PathSegments = readonly string[];

const plainPath = /^[^.[\]$]+(?:\.[^.[\]$]+)*$/;

/** True for dotted segments without brackets and `$`, none of them empty. Source: dynamic facts §2.1. */
export function isPlainPath(path: unknown): path is string {
  return typeof path === 'string' && plainPath.test(path);
}

/** Splits a dotted path; an empty one and `.` name the whole value. Keys cannot hold dots. */
export function splitPath(path: string): PathSegments {
  return path === '' || path === '.' ? [] : path.split('.');
}

/** What a look-up along a path came to. */
export type Lookup =
  | { status: 'found'; value: Value }
  /** The last segment is no own key of what the others lead to. */
  | { status: 'absent' }
  /** A segment before the last leads to nothing, to null, or to a text, number or boolean. */
  | { status: 'broken' };

const absent: Lookup = { status: 'absent' };
const broken: Lookup = { status: 'broken' };

/** Follows a path through own keys only: nothing is ever read from a prototype, nor from a text. */
export function lookUp(root: Value, segments: PathSegments): Lookup {
  let current: Value = root;
  for (let index = 0; index < segments.length; index += 1) {
    const key = segments[index]!;
    if (typeof current !== 'object' || current === null) return broken;
    if (!Object.hasOwn(current, key)) return index === segments.length - 1 ? absent : broken;
    current = (current as Record<string, Value>)[key];
  }
  return { status: 'found', value: current };
}
