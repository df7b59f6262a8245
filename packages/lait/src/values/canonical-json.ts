import { compareText } from './compare-text.js';
import { isObject, type JsonValue } from './value.js';
import { requireWritable } from './value-size.js';

/**
 * Compact JSON with sorted keys: equal values give equal text, whatever the order of their keys. Throws as
 * `requireWritable` does.
 */
export function canonicalJson(value: JsonValue): string {
  requireWritable(value);
  return sorted(value);
}

function sorted(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort(compareText);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted(value[key]!)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
