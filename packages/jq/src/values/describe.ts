import { type JsonValue, typeName } from './json.js';
import { beginningOfText, stringText } from './json-text.js';

/** Longest shown text of a value in an error message, in UTF-8 bytes. */
const shownBytes = 29;

/** JSON text shortened the way jq shortens values in messages: `"very-long-long-long-long..."`. */
export function shorten(value: JsonValue): string {
  const text = typeof value === 'string' ? stringText(value.slice(0, 64)) : beginningOfText(value, 64);
  const isCut = typeof value === 'string' ? value.length > 64 : text.length > 64;
  if (!isCut && byteLength(text, shownBytes) <= shownBytes) return text;
  const closing = closingOf(value);
  const room = shownBytes - 3 - closing.length;
  let shown = '';
  let bytes = 0;
  for (const character of text) {
    bytes += byteLength(character, 4);
    if (bytes > room) break;
    shown += character;
  }
  return `${shown}...${closing}`;
}

function closingOf(value: JsonValue): string {
  if (typeof value === 'string') return '"';
  if (Array.isArray(value)) return ']';
  return typeof value === 'object' && value !== null ? '}' : '';
}

/** UTF-8 length; may stop counting beyond `enough`. */
function byteLength(text: string, enough: number): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > enough) break;
  }
  return bytes;
}

/** A value as error messages name it: `number (12)`, `null (null)`. */
export function describe(value: JsonValue): string {
  return `${typeName(value)} (${shorten(value)})`;
}
