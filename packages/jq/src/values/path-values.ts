import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import { getIndex } from './access.js';
import { compare } from './compare.js';
import { describe } from './describe.js';
import { isObject, type JsonArray, type JsonObject, type JsonValue, typeName } from './json.js';
import { setKey } from './object.js';
import { raise } from './raise.js';
import { sliceBounds, sliceKey } from './slice.js';

const maximumIndex = 2 ** 29 - 1;

/** Containers that an update made itself and may therefore change in place. */
export type Owned = Set<JsonValue>;

/** A path given as a value: an array no longer than jq follows. */
export function checkPath(path: JsonValue): JsonArray {
  if (!Array.isArray(path)) return raise('Path must be specified as an array');
  if (path.length > maximumValueDepth) return raise('Path too deep');
  return path;
}

/** The value at a path; null where something on the way is null or missing. */
export function getPath(root: JsonValue, path: JsonValue, context: Context): JsonValue {
  let value = root;
  for (const key of checkPath(path)) value = getIndex(value, key, context);
  return value;
}

/**
 * `root` with `value` at `path`, sharing what did not change. With `owned`, containers in it are changed in place and
 * new ones are added, so that many updates of one value copy each container once.
 */
export function setPath(
  root: JsonValue,
  path: JsonValue,
  value: JsonValue,
  context: Context,
  owned: Owned | null = null,
): JsonValue {
  const keys = checkPath(path);
  const containers: JsonValue[] = [];
  let current = root;
  for (let index = 0; index < keys.length - 1; index++) {
    containers.push(current);
    const key = keys[index]!;
    const part = getIndex(current, key, context);
    // What cannot be set is refused from the outside in.
    if (Array.isArray(current) || (current === null && typeof key === 'number'))
      checkElement(current ?? [], key);
    current = part;
  }
  if (keys.length > 0) containers.push(current);
  let result = value;
  for (let index = keys.length - 1; index >= 0; index--) {
    result = setIndex(containers[index]!, keys[index]!, result, context, owned);
  }
  return result;
}

function setIndex(
  container: JsonValue,
  key: JsonValue,
  value: JsonValue,
  context: Context,
  owned: Owned | null,
): JsonValue {
  const target = container ?? null;
  if (typeof key === 'string' && (target === null || isObject(target))) {
    const object = own(target ?? {}, context, owned) as JsonObject;
    setKey(object, key, value);
    return object;
  }
  if (typeof key === 'number' && (target === null || Array.isArray(target))) {
    return setElement(target ?? [], key, value, context, owned);
  }
  if (isObject(key) && (target === null || Array.isArray(target))) {
    return setSlice(target ?? [], key, value, context);
  }
  if (isObject(key) && typeof target === 'string') {
    sliceKey(key);
    return raise('Cannot update string slices');
  }
  if (Array.isArray(target)) checkElement(target, key);
  return raise(`Cannot index ${typeName(target)} with ${describe(key)}`);
}

function own(container: JsonValue, context: Context, owned: Owned | null): JsonValue {
  if (owned?.has(container)) return container;
  let copy: JsonValue;
  if (Array.isArray(container)) {
    context.chargeCopies(container.length);
    copy = container.slice();
  } else {
    copy = { ...(container as JsonObject) };
    // Copying a property costs several times what an element does.
    context.chargeCopies(Object.keys(copy).length * 4);
  }
  owned?.add(copy);
  return copy;
}

/** Refuses keys under which an array can have no element. */
function checkElement(array: JsonArray, key: JsonValue): void {
  if (Array.isArray(key)) raise('Cannot update field at array index of array');
  if (typeof key !== 'number') return;
  if (Number.isNaN(key)) raise('Cannot set array element at NaN index');
  const index = Math.floor(key);
  if (index < 0 && index + array.length < 0) raise('Out of bounds negative array index');
  if (index > maximumIndex) raise('Array index too large');
}

function setElement(
  array: JsonArray,
  key: number,
  value: JsonValue,
  context: Context,
  owned: Owned | null,
): JsonValue {
  checkElement(array, key);
  let index = Math.floor(key);
  if (index < 0) index += array.length;
  const copy = own(array, context, owned) as JsonArray;
  if (index > copy.length) {
    context.charge(index - copy.length);
    while (copy.length < index) copy.push(null);
  }
  copy[index] = value;
  return copy;
}

function setSlice(array: JsonArray, key: JsonObject, value: JsonValue, context: Context): JsonValue {
  const { from, to } = sliceKey(key);
  const { start, end } = sliceBounds(array.length, from, to);
  if (!Array.isArray(value)) return raise('A slice of an array can only be assigned another array');
  context.chargeCopies(array.length + value.length);
  return [...array.slice(0, start), ...value, ...array.slice(end)];
}

/** `root` without what the paths lead to. All paths mean places of the original value. */
export function deletePaths(root: JsonValue, paths: JsonValue, context: Context): JsonValue {
  if (!Array.isArray(paths)) return raise('Paths must be specified as an array');
  for (const path of paths) {
    if (!Array.isArray(path)) return raise(`Path must be specified as array, not ${typeName(path)}`);
    if (path.length > maximumValueDepth) return raise('Path too deep');
  }
  const sorted = (paths as JsonArray[]).slice().sort((left, right) => compare(left, right, context));
  if (sorted.length === 0) return root;
  if (sorted[0]!.length === 0) return null;
  return deleteSorted(root, sorted, 0, sorted.length, 0, context);
}

/** Deletes `paths[from…to)`, which agree in their first `depth` keys. */
function deleteSorted(
  value: JsonValue,
  paths: readonly JsonArray[],
  from: number,
  to: number,
  depth: number,
  context: Context,
): JsonValue {
  let result = value;
  const doomed: JsonValue[] = [];
  for (let end = to; end > from; ) {
    const key = paths[end - 1]![depth]!;
    let start = end - 1;
    while (start > from && compare(paths[start - 1]![depth]!, key, context) === 0) start--;
    context.step();
    // The shortest path of a group sorts first; it deletes what the longer ones lead into.
    if (paths[start]!.length === depth + 1) doomed.push(key);
    else {
      const part = getIndex(result, key, context);
      if (part !== null) {
        const rest = deleteSorted(part, paths, start, end, depth + 1, context);
        result = setIndex(result, key, rest, context, null);
      }
    }
    end = start;
  }
  return doomed.length === 0 ? result : deleteKeys(result, doomed, context);
}

function deleteKeys(container: JsonValue, keys: readonly JsonValue[], context: Context): JsonValue {
  if (container === null || container === undefined) return null;
  if (Array.isArray(container)) {
    const doomed = new Uint8Array(container.length);
    for (const key of keys) markElements(container, key, doomed);
    context.chargeCopies(container.length);
    return container.filter((_, index) => doomed[index] === 0);
  }
  if (isObject(container)) {
    const copy = { ...container };
    for (const key of keys) {
      if (typeof key !== 'string') return raise(`Cannot delete ${typeName(key)} field of object`);
      delete copy[key];
    }
    return copy;
  }
  return raise(`Cannot delete fields from ${typeName(container)}`);
}

function markElements(array: JsonArray, key: JsonValue, doomed: Uint8Array): void {
  if (typeof key === 'number') {
    let index = Math.floor(key);
    if (index < 0) index += array.length;
    if (index >= 0 && index < array.length) doomed[index] = 1;
  } else if (isObject(key)) {
    const { from, to } = sliceKey(key);
    const { start, end } = sliceBounds(array.length, from, to);
    doomed.fill(1, start, end);
  } else raise(`Cannot delete ${typeName(key)} element of array`);
}
