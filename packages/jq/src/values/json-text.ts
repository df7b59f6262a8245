import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import type { JsonArray, JsonObject, JsonValue } from './json.js';
import { numberText } from './number-text.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what needs an escape.
const needsEscape = /[\u0000-\u001f"\\\u007f\ud800-\udfff]/;

/** A string as a JSON literal. DEL is escaped as jq does; lone surrogates stay escaped, as JavaScript does. */
export function stringText(value: string): string {
  if (!needsEscape.test(value)) return `"${value}"`;
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

interface Level {
  readonly container: JsonArray | JsonObject;
  readonly keys: readonly string[] | null;
  next: number;
}

/**
 * Compact JSON text as jq's `tojson` writes it; keys keep their order. Works without native recursion; what is
 * nested deeper than jq prints becomes "<skipped: too deep>".
 */
export function jsonText(value: JsonValue, context: Context): string {
  if (isPlain(value, 0, context)) return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  return writeText(value, Infinity, context);
}

/** {@link jsonText} for messages, which ends soon after so many characters. */
export function beginningOfText(value: JsonValue, limit: number): string {
  return writeText(value, limit, null);
}

/** Nesting up to which JavaScript's own writer may be used. */
const plainDepth = 200;

/** Whether JavaScript writes a value as jq does: numbers have no exponent, nothing is missing or very deep. */
function isPlain(value: JsonValue, depth: number, context: Context): boolean {
  if (typeof value !== 'object' || value === null) return isPlainScalar(value);
  if (depth > plainDepth) return false;
  if (Array.isArray(value)) {
    context.chargeVisits(value.length);
    for (let index = 0; index < value.length; index++) {
      const element = value[index]!;
      if (typeof element === 'object' ? !isPlain(element, depth + 1, context) : !isPlainScalar(element))
        return false;
    }
    return true;
  }
  // Keys without a list of them, which costs more than the look. Inherited ones only make a value take the slower way.
  let members = 0;
  for (const key in value) {
    members++;
    const member = value[key]!;
    if (typeof member === 'object' ? !isPlain(member, depth + 1, context) : !isPlainScalar(member))
      return false;
  }
  context.chargeVisits(members);
  return true;
}

function isPlainScalar(value: JsonValue): boolean {
  if (typeof value !== 'number')
    return typeof value === 'string' || typeof value === 'boolean' || value === null;
  const magnitude = Math.abs(value);
  return (magnitude < 1e16 && magnitude >= 1e-4) || Object.is(value, 0);
}

function writeText(value: JsonValue, limit: number, context: Context | null): string {
  const levels: Level[] = [];
  let text = '';
  let current: JsonValue = value;
  for (;;) {
    context?.chargeVisits(0);
    if (typeof current === 'object' && current !== null && levels.length <= maximumValueDepth) {
      const keys = Array.isArray(current) ? null : Object.keys(current);
      text += keys === null ? '[' : '{';
      levels.push({ container: current, keys, next: 0 });
    } else if (typeof current === 'object' && current !== null) text += '"<skipped: too deep>"';
    else text += scalarText(current);
    for (;;) {
      const level = levels.at(-1);
      if (level === undefined || text.length > limit) return text;
      const { container, keys } = level;
      const size = keys === null ? (container as JsonArray).length : keys.length;
      if (level.next === size) {
        text += keys === null ? ']' : '}';
        levels.pop();
        continue;
      }
      if (level.next > 0) text += ',';
      if (keys === null) current = (container as JsonArray)[level.next] as JsonValue;
      else {
        const key = keys[level.next]!;
        text += `${stringText(key)}:`;
        current = (container as JsonObject)[key] as JsonValue;
      }
      level.next++;
      break;
    }
  }
}

function scalarText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return stringText(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return 'null';
  }
}

/** The text form of a value in string interpolation and `tostring`: strings as they are, the rest as JSON. */
export function toText(value: JsonValue, context: Context): string {
  return typeof value === 'string' ? value : jsonText(value, context);
}
