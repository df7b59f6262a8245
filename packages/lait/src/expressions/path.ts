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

/** Of a look-up: the last segment is no own key of what the others lead to. */
export const absent: unique symbol = Symbol('absent');
/** Of a look-up: a segment before the last leads to nothing, to null, or to a text, number or boolean. */
export const broken: unique symbol = Symbol('broken');

/**
 * Follows a path through own keys only: nothing is ever read from a prototype, nor from a text. Gives what is there,
 * `absent` or `broken`.
 */
export function lookUp(root: Value, segments: PathSegments): Value | typeof absent | typeof broken {
  let current: Value = root;
  for (let index = 0; index < segments.length; index += 1) {
    const key = segments[index]!;
    if (typeof current !== 'object' || current === null) return broken;
    if (!Object.hasOwn(current, key)) return index === segments.length - 1 ? absent : broken;
    current = (current as Record<string, Value>)[key];
  }
  return current;
}
