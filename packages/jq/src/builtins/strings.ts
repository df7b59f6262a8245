import type { Context } from '../compile/context.js';
import { splitText } from '../values/arithmetic.js';
import { describe } from '../values/describe.js';
import type { JsonValue } from '../values/json.js';
import { raise } from '../values/raise.js';
import { codePointLength, hasSurrogates, scalarCodePoint } from '../values/text.js';
import { type BuiltinTable, valueTable } from './builtin.js';

function stringPair(input: JsonValue, part: JsonValue, name: string): [string, string] {
  if (typeof input !== 'string' || typeof part !== 'string') return raise(`${name}() requires string inputs`);
  return [input, part];
}

function trimmed(input: JsonValue, trim: (text: string) => string): string {
  return typeof input === 'string' ? trim(input) : raise('trim input must be a string');
}

// Unicode white space; unlike JavaScript's trim it has U+0085 and lacks U+FEFF.
const space = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leading = new RegExp(`^${space}+`);
const isSpace = new RegExp(space);

const trimStart = (text: string): string => text.replace(leading, '');

/** Scans from the end: a pattern anchored there would try every run of spaces before. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function startsWith(input: JsonValue, prefix: JsonValue): boolean {
  const [text, part] = stringPair(input, prefix, 'startswith');
  return text.startsWith(part);
}

function endsWith(input: JsonValue, suffix: JsonValue): boolean {
  const [text, part] = stringPair(input, suffix, 'endswith');
  return text.endsWith(part);
}

function withoutPrefix(input: JsonValue, prefix: JsonValue): JsonValue {
  return startsWith(input, prefix) ? (input as string).slice((prefix as string).length) : input;
}

function withoutSuffix(input: JsonValue, suffix: JsonValue): JsonValue {
  if (!endsWith(input, suffix)) return input;
  return (input as string).slice(0, (input as string).length - (suffix as string).length);
}

function explode(input: JsonValue, _args: readonly JsonValue[], context: Context): number[] {
  if (typeof input !== 'string') return raise('explode input must be a string');
  context.chargeCopies(input.length);
  return Array.from(input, (character) => scalarCodePoint(character.codePointAt(0)!));
}

function implode(input: JsonValue, _args: readonly JsonValue[], context: Context): string {
  if (!Array.isArray(input)) return raise('implode input must be an array');
  context.chargeCopies(input.length);
  const characters = input.map((code) => {
    if (typeof code !== 'number' || Number.isNaN(code)) {
      return raise(`${describe(code)} can't be imploded, unicode codepoint needs to be numeric`);
    }
    return String.fromCodePoint(scalarCodePoint(Math.trunc(code)));
  });
  return characters.join('');
}

/** Changes letters of one ASCII case by `shift`, leaving all other characters. */
function shiftCase(input: JsonValue, pattern: RegExp, change: (letters: string) => string): string {
  if (typeof input !== 'string') return raise('explode input must be a string');
  return input.replace(pattern, change);
}

/** Positions of `part`, in code points; occurrences may overlap. */
function textPositions(input: JsonValue, part: JsonValue, context: Context): JsonValue {
  if (typeof input !== 'string') return raise(`${describe(input)} cannot be searched, as it is not a string`);
  if (typeof part !== 'string') return raise(`${describe(part)} is not a string`);
  const found: number[] = [];
  if (part === '') return found;
  const isSimple = !hasSurrogates(input);
  let codePoints = 0;
  let counted = 0;
  for (let at = input.indexOf(part); at !== -1; at = input.indexOf(part, at + 1)) {
    // Each place has been compared with the whole part.
    context.chargeText(part.length);
    if (isSimple) found.push(at);
    else {
      codePoints += codePointLength(input.slice(counted, at));
      counted = at;
      found.push(codePoints);
    }
  }
  return found;
}

/** Text functions. */
export const stringBuiltins: BuiltinTable = valueTable({
  'startswith/1': (input, [prefix]) => startsWith(input, prefix!),
  'endswith/1': (input, [suffix]) => endsWith(input, suffix!),
  'ltrimstr/1': (input, [prefix]) => withoutPrefix(input, prefix!),
  'rtrimstr/1': (input, [suffix]) => withoutSuffix(input, suffix!),
  'trimstr/1': (input, [part]) => withoutSuffix(withoutPrefix(input, part!), part!),
  'trim/0': (input) => trimmed(input, (text) => trimEnd(trimStart(text))),
  'ltrim/0': (input) => trimmed(input, trimStart),
  'rtrim/0': (input) => trimmed(input, trimEnd),
  'explode/0': explode,
  'implode/0': implode,
  'ascii_downcase/0': (input) => shiftCase(input, /[A-Z]+/g, (letters) => letters.toLowerCase()),
  'ascii_upcase/0': (input) => shiftCase(input, /[a-z]+/g, (letters) => letters.toUpperCase()),
  'split/1': (input, [separator], context) => {
    if (typeof input !== 'string' || typeof separator !== 'string') {
      return raise('split input and separator must be strings');
    }
    return splitText(input, separator, context);
  },
  '_strindices/1': (input, [part], context) => textPositions(input, part!, context),
});

export { textPositions };
