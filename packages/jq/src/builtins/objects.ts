import type { Context } from '../compile/context.js';
import { cannotIterate } from '../compile/path.js';
import { getIndex } from '../values/access.js';
import { contains } from '../values/contains.js';
import { describe } from '../values/describe.js';
import { isObject, isTruthy, type JsonObject, type JsonValue, typeName } from '../values/json.js';
import { getKey, setKey, sortedKeys } from '../values/object.js';
import { raise } from '../values/raise.js';
import { type BuiltinTable, valueTable } from './builtin.js';

function keysOf(input: JsonValue, keys: (object: JsonObject) => string[], context: Context): JsonValue {
  if (!Array.isArray(input) && !isObject(input)) return raise(`${describe(input)} has no keys`);
  const found = Array.isArray(input) ? input.map((_, index) => index) : keys(input);
  context.chargeCopies(found.length);
  return found;
}

function has(input: JsonValue, key: JsonValue): boolean {
  if (isObject(input) && typeof key === 'string') return Object.hasOwn(input, key);
  if (Array.isArray(input) && typeof key === 'number') return key >= 0 && key < input.length;
  if (input === null) return false;
  return raise(`Cannot check whether ${typeName(input)} has a ${typeName(key)} key`);
}

function toEntries(input: JsonValue, _args: readonly JsonValue[], context: Context): JsonValue {
  if (Array.isArray(input)) {
    context.charge(input.length);
    return input.map((value, key) => ({ key, value: value ?? null }));
  }
  if (!isObject(input)) return raise(`${describe(input)} has no keys`);
  const keys = Object.keys(input);
  context.charge(keys.length);
  return keys.map((key) => ({ key, value: input[key] ?? null }));
}

const keyNames = ['key', 'Key', 'name', 'Name'];

function fromEntries(input: JsonValue, _args: readonly JsonValue[], context: Context): JsonValue {
  const entries = Array.isArray(input)
    ? input
    : isObject(input)
      ? Object.values(input)
      : cannotIterate(input);
  const object: JsonObject = {};
  for (const entry of entries) {
    let key: JsonValue = null;
    for (const name of keyNames) {
      key = getIndex(entry, name, context);
      if (isTruthy(key)) break;
    }
    const value = has(entry, 'value')
      ? getKey(entry as JsonObject, 'value')
      : getIndex(entry, 'Value', context);
    if (typeof key !== 'string') return raise(`Cannot use ${describe(key)} as object key`);
    setKey(object, key, value);
  }
  return object;
}

/** Object functions. */
export const objectBuiltins: BuiltinTable = valueTable({
  'keys/0': (input, _args, context) => keysOf(input, sortedKeys, context),
  'keys_unsorted/0': (input, _args, context) => keysOf(input, Object.keys, context),
  'has/1': (input, [key]) => has(input, key!),
  'contains/1': (input, [part], context) => contains(input, part!, context),
  'to_entries/0': toEntries,
  'from_entries/0': fromEntries,
});
