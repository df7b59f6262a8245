import type { Context } from '../compile/context.js';
import { cannotIterate } from '../compile/path.js';
import { getIndex, positionsOf } from '../values/access.js';
import { add } from '../values/arithmetic.js';
import { compare, compareScalars } from '../values/compare.js';
import { describe } from '../values/describe.js';
import { isObject, type JsonArray, type JsonValue } from '../values/json.js';
import { toText } from '../values/json-text.js';
import { raise } from '../values/raise.js';
import { type BuiltinTable, valueTable } from './builtin.js';
import { simpleKeys, sortedPositions, sortValues, valuesAt } from './sorting.js';
import { textPositions } from './strings.js';

/** The elements of an array or the values of an object. */
function elementsOf(input: JsonValue): JsonArray {
  if (Array.isArray(input)) return input;
  return isObject(input) ? Object.values(input) : cannotIterate(input);
}

function sum(input: JsonValue, context: Context): JsonValue {
  const elements = elementsOf(input);
  if (elements.length > 1 && Array.isArray(elements[0]) && elements.every(Array.isArray)) {
    // Joining all at once instead of copying the growing result for every element.
    const joined = (elements as JsonArray[]).flat(1);
    context.chargeCopies(joined.length);
    return joined;
  }
  let total: JsonValue = null;
  for (const element of elements) {
    context.step();
    total = add(total, element, context);
  }
  return total;
}

function join(input: JsonValue, separator: JsonValue, context: Context): JsonValue {
  const elements = elementsOf(input);
  if (elements.length === 0) return '';
  let text: JsonValue = '';
  for (let index = 0; index < elements.length; index++) {
    context.step();
    const element = elements[index] ?? null;
    if (index > 0) text = add(text, separator, context);
    const isPlain = typeof element === 'boolean' || typeof element === 'number';
    text = add(text, isPlain ? toText(element, context) : element || '', context);
  }
  return text;
}

function flatten(input: JsonValue, depth: JsonValue, context: Context): JsonValue {
  if (compareScalars(depth, 0) < 0) return raise('flatten depth must not be negative');
  const result: JsonValue[] = [];
  const pending: { elements: JsonArray; next: number; depth: JsonValue }[] = [
    { elements: elementsOf(input), next: 0, depth },
  ];
  for (let level = pending.at(-1); level !== undefined; level = pending.at(-1)) {
    if (level.next === level.elements.length) {
      pending.pop();
      continue;
    }
    context.step();
    const element: JsonValue = level.elements[level.next++] ?? null;
    if (!Array.isArray(element) || level.depth === 0) result.push(element);
    else {
      if (typeof level.depth !== 'number') {
        return raise(`${describe(level.depth)} and ${describe(1)} cannot be subtracted`);
      }
      pending.push({ elements: element, next: 0, depth: level.depth - 1 });
    }
  }
  return result;
}

function reverse(input: JsonValue, _args: readonly JsonValue[], context: Context): JsonValue {
  if (Array.isArray(input)) {
    context.chargeCopies(input.length);
    return input.slice().reverse();
  }
  if (typeof input === 'boolean') return raise(`${describe(input)} has no length`);
  const length =
    typeof input === 'string' ? input.length : isObject(input) ? Object.keys(input).length : (input ?? 0);
  if (length === 0) return [];
  const last = typeof input === 'string' ? Array.from(input).length - 1 : Math.abs(length as number) - 1;
  return [getIndex(input, last, context)];
}

function binarySearch(input: JsonValue, target: JsonValue, context: Context): JsonValue {
  if (!Array.isArray(input)) return raise(`${describe(input)} cannot be searched from`);
  let low = 0;
  let high = input.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compare(input[middle]!, target, context);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1 - low;
}

/** Where `part` occurs: in text, as a run of elements, or as one element. */
function indices(input: JsonValue, part: JsonValue, context: Context): JsonValue {
  if (Array.isArray(input)) return positionsOf(input, Array.isArray(part) ? part : [part], context);
  if (typeof input === 'string' && typeof part === 'string') return textPositions(input, part, context);
  return getIndex(input, part, context);
}

/** The last of the least (`sign` 1: of the greatest) elements by their keys; null when there are none. */
function extreme(input: JsonValue, keys: JsonValue, sign: 1 | -1, context: Context): JsonValue {
  if (!Array.isArray(input) || !Array.isArray(keys)) {
    return raise(`${describe(input)} and ${describe(keys)} cannot be iterated over`);
  }
  context.chargeCopies(input.length);
  let best = 0;
  for (let index = 1; index < input.length; index++) {
    const order = compare(keys[index]!, keys[best]!, context) * sign;
    if (sign === 1 ? order >= 0 : order > 0) best = index;
  }
  return input[best] ?? null;
}

function sorted(input: JsonValue, context: Context): JsonArray {
  if (!Array.isArray(input)) return raise(`${describe(input)} cannot be sorted, as it is not an array`);
  return sortValues(input, context);
}

/** Checks what `sort_by` and its like are given: elements, and of each the array of its keys. */
function withKeys(input: JsonValue, keys: JsonValue): [values: JsonArray, keys: JsonArray] {
  if (Array.isArray(input) && Array.isArray(keys)) return [input, simpleKeys(keys)];
  return raise(`${describe(input)} and ${describe(keys)} cannot be sorted, as they are not both arrays`);
}

function sortedBy(input: JsonValue, allKeys: JsonValue, context: Context): JsonArray {
  const [values, keys] = withKeys(input, allKeys);
  return valuesAt(values, sortedPositions(keys, context));
}

/** The elements of each group of equal keys, in the order of the keys. */
function groups(input: JsonValue, allKeys: JsonValue, context: Context): JsonArray[] {
  const [values, keys] = withKeys(input, allKeys);
  const result: JsonArray[] = [];
  let last: JsonValue = null;
  for (const position of sortedPositions(keys, context)) {
    const key = keys[position]!;
    if (result.length > 0 && compare(last, key, context) === 0) result.at(-1)!.push(values[position]!);
    else result.push([values[position]!]);
    last = key;
  }
  return result;
}

/** Array functions. */
export const arrayBuiltins: BuiltinTable = valueTable({
  'add/0': (input, _args, context) => sum(input, context),
  'join/1': (input, [separator], context) => join(input, separator!, context),
  'flatten/0': (input, _args, context) => flatten(input, Infinity, context),
  'flatten/1': (input, [depth], context) => flatten(input, depth!, context),
  'reverse/0': reverse,
  'bsearch/1': (input, [target], context) => binarySearch(input, target!, context),
  'indices/1': (input, [part], context) => indices(input, part!, context),
  'index/1': (input, [part], context) => getIndex(indices(input, part!, context), 0, context),
  'rindex/1': (input, [part], context) => getIndex(indices(input, part!, context), -1, context),
  'sort/0': (input, _args, context) => sorted(input, context),
  'unique/0': (input, _args, context) => {
    const result: JsonValue[] = [];
    for (const value of sorted(input, context)) {
      if (result.length === 0 || compare(result.at(-1)!, value, context) !== 0) result.push(value);
    }
    return result;
  },
  'min/0': (input, _args, context) => extreme(input, input, -1, context),
  'max/0': (input, _args, context) => extreme(input, input, 1, context),
  'internal::sortBy/1': (input, [keys], context) => sortedBy(input, keys!, context),
  'internal::groupBy/1': (input, [keys], context) => groups(input, keys!, context),
  'internal::uniqueBy/1': (input, [keys], context) => groups(input, keys!, context).map((group) => group[0]!),
  'internal::minBy/1': (input, [keys], context) => extreme(input, keys!, -1, context),
  'internal::maxBy/1': (input, [keys], context) => extreme(input, keys!, 1, context),
});
