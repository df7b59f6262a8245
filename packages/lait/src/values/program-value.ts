import { setOwnProperty, type Value } from './value.js';
import { PartCount } from './value-size.js';

/** Deeper values are refused: they contain themselves, or would overflow whoever walks them. */
const deepest = 1000;

/**
 * Copies a value that code handed over into what JSON can say: `toJSON` is honoured (dates become texts), numbers that
 * are none become null, functions are no value. Members without a value stay unless `emptyAsNull` turns them, and a
 * missing value itself, into null. Throws a `TypeError` for big integers and for values that contain themselves,
 * and a `LaitError` (code `value_too_large`).
 */
export function copyProgramValue(value: unknown, emptyAsNull = false): Value {
  return copy(value, emptyAsNull, 0, new PartCount());
}

function copy(value: unknown, emptyAsNull: boolean, depth: number, count: PartCount): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      throw new TypeError('a big integer is no JSON value');
    case 'object':
      break;
    default:
      return emptyAsNull ? null : undefined;
  }
  if (value === null) return null;
  if (depth > deepest)
    throw new TypeError(`the value contains itself, or is nested deeper than ${deepest} levels`);
  if (Array.isArray(value)) return copyArray(value, emptyAsNull, depth, count);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return copy((value as { toJSON(): unknown }).toJSON(), emptyAsNull, depth + 1, count);
  }
  const copied = {};
  const keys = Object.keys(value);
  count.add(keys.length + 1);
  for (const key of keys) {
    setOwnProperty(copied, key, copy((value as Record<string, unknown>)[key], emptyAsNull, depth + 1, count));
  }
  return copied;
}

function copyArray(value: readonly unknown[], emptyAsNull: boolean, depth: number, count: PartCount): Value {
  count.add(value.length + 1);
  const copied: Value[] = new Array(value.length);
  for (let index = 0; index < value.length; index += 1)
    copied[index] = copy(value[index], emptyAsNull, depth + 1, count);
  return copied as Value;
}
