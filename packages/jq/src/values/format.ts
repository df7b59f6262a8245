import type { Context } from '../compile/context.js';
import { describe } from './describe.js';
import type { JsonValue } from './json.js';
import { stringText, toText } from './json-text.js';
import { raise } from './raise.js';
import { decodeUtf8 } from './utf8.js';

const htmlEscapes: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&apos;',
  '"': '&quot;',
};
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function row(
  value: JsonValue,
  name: string,
  separator: string,
  context: Context,
  cell: (text: string) => string,
): string {
  if (!Array.isArray(value)) return raise(`${describe(value)} cannot be ${name}-formatted, only array`);
  return value
    .map((element) => {
      if (element === null || element === undefined) return '';
      if (typeof element === 'string') return cell(element);
      if (typeof element === 'object') return raise(`${describe(element)} is not valid in a csv row`);
      return Number.isNaN(element) ? '' : toText(element, context);
    })
    .join(separator);
}

const tsvEscapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function shellWord(value: JsonValue, context: Context): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "'\\''")}'`;
  if (typeof value === 'object' && value !== null)
    return raise(`${describe(value)} can not be escaped for shell`);
  return toText(value, context);
}

function uriEncode(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9\-_.~]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

function uriDecode(value: JsonValue, context: Context): string {
  const text = toText(value, context);
  const bytes = Buffer.from(text);
  const decoded: number[] = [];
  const invalid = (): never => raise(`${describe(text)} is not a valid uri encoding`);
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0x25) {
      decoded.push(bytes[index]!);
      continue;
    }
    const digits = bytes.toString('latin1', index + 1, index + 3);
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) invalid();
    decoded.push(Number.parseInt(digits, 16));
    index += 2;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(decoded));
  } catch {
    return invalid();
  }
}

function base64Decode(value: JsonValue, context: Context): string {
  const text = toText(value, context);
  const data = text.slice(0, text.includes('=') ? text.indexOf('=') : text.length);
  if (!/^[A-Za-z0-9+/]*$/.test(data)) return raise(`${describe(text)} is not valid base64 data`);
  if (data.length % 4 === 1) return raise(`${describe(text)} trailing base64 byte found`);
  return decodeUtf8(Buffer.from(data, 'base64'));
}

function base32Encode(text: string): string {
  let bits = 0;
  let count = 0;
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 5) {
      count -= 5;
      encoded += base32Alphabet[(bits >> count) & 31];
      bits &= (1 << count) - 1;
    }
  }
  if (count > 0) encoded += base32Alphabet[(bits << (5 - count)) & 31];
  return encoded.padEnd(Math.ceil(encoded.length / 8) * 8, '=');
}

function base32Decode(value: JsonValue, context: Context): string {
  const text = toText(value, context);
  const data = text.replace(/=+$/, '');
  let bits = 0;
  let count = 0;
  const bytes: number[] = [];
  for (const character of data) {
    const digit = base32Alphabet.indexOf(character);
    if (digit === -1) return raise(`${describe(text)} is not valid base32 data`);
    bits = (bits << 5) | digit;
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes.push((bits >> count) & 255);
      bits &= (1 << count) - 1;
    }
  }
  return decodeUtf8(Buffer.from(bytes));
}

/** Makes text of a value. */
export type Format = (value: JsonValue, context: Context) => string;

/** What each `@name` does to a value. */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['text', toText],
  ['json', (value, context) => (typeof value === 'string' ? stringText(value) : toText(value, context))],
  ['csv', (value, context) => row(value, 'csv', ',', context, (text) => `"${text.replaceAll('"', '""')}"`)],
  [
    'tsv',
    (value, context) =>
      row(value, 'tsv', '\t', context, (text) => text.replace(/[\t\n\r\\]/g, (c) => tsvEscapes[c]!)),
  ],
  [
    'html',
    (value, context) => toText(value, context).replace(/[<>&'"]/g, (character) => htmlEscapes[character]!),
  ],
  ['uri', (value, context) => uriEncode(toText(value, context))],
  ['urid', uriDecode],
  [
    'sh',
    (value, context) =>
      Array.isArray(value)
        ? value.map((word) => shellWord(word, context)).join(' ')
        : shellWord(value, context),
  ],
  ['base64', (value, context) => Buffer.from(toText(value, context)).toString('base64')],
  ['base64d', base64Decode],
  ['base32', (value, context) => base32Encode(toText(value, context))],
  ['base32d', base32Decode],
]);
