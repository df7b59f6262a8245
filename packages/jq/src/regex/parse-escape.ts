import { type CodePointTest, isDigit, isSpace, isWord, propertyClass } from './char-set.js';
import type { PatternReader } from './pattern-reader.js';

const classes: Readonly<Record<string, CodePointTest>> = { d: isDigit, s: isSpace, w: isWord };
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11, a: 7, e: 27 };

/** `\d`, `\W`, `\p{…}` and their like, behind the letter; null for other escapes. */
export function classEscape(reader: PatternReader, letter: string): CodePointTest | null {
  const name = letter.toLowerCase();
  const inverted = letter !== name;
  if (Object.hasOwn(classes, name)) return invertedIf(inverted, classes[name]!);
  if (name !== 'p' || !reader.accept('{')) return null;
  const caret = reader.accept('^');
  const property = reader.until('}') ?? reader.fail('invalid character property name {}');
  const test = propertyClass(property) ?? reader.fail(`invalid character property name {${property}}`);
  return invertedIf(inverted !== caret, test);
}

export function invertedIf(inverted: boolean, test: CodePointTest): CodePointTest {
  return inverted ? (code) => !test(code) : test;
}

/** The code point of an escape that stands for one character, behind its first character. */
export function escapedCode(reader: PatternReader, character: string): number {
  if (Object.hasOwn(controls, character)) return controls[character]!;
  if (character === 'x') return hexCode(reader);
  if (/[0-7]/.test(character)) return Number.parseInt(character + reader.take(/[0-7]/, 2), 8);
  return character.codePointAt(0)!;
}

function hexCode(reader: PatternReader): number {
  if (reader.accept('{')) {
    const digits = reader.until('}') ?? '';
    const code = /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    if (!(code <= 0x10ffff)) reader.fail('invalid code point value');
    return code;
  }
  const first = hexByte(reader);
  // Bytes of one UTF-8 character may be written one by one.
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (length === 1) return first;
  const bytes = [first];
  while (bytes.length < length && reader.accept('\\x')) bytes.push(hexByte(reader));
  return Buffer.from(bytes).toString('utf8').codePointAt(0)!;
}

function hexByte(reader: PatternReader): number {
  return Number.parseInt(`0${reader.take(/[0-9a-fA-F]/, 2)}`, 16);
}
