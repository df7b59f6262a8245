import { type CodePointTest, posixClass } from './char-set.js';
import { classEscape, escapedCode, invertedIf } from './parse-escape.js';
import type { PatternReader } from './pattern-reader.js';

/** Parses a bracket class after its `[`: ranges, escapes, POSIX names, nested classes, `&&`. */
export function parseClass(reader: PatternReader): CodePointTest {
  return reader.nested(() => readClass(reader));
}

function readClass(reader: PatternReader): CodePointTest {
  const inverted = reader.accept('^');
  const intersected: CodePointTest[] = [];
  let tests: CodePointTest[] = [];
  let isFirst = true;
  let isEmpty = true;
  for (;;) {
    // A bracket that comes first is a member, if the class is closed by another one.
    if (reader.peek() === ']' && !(isFirst && hasOtherClose(reader))) {
      reader.accept(']');
      break;
    }
    isFirst = false;
    if (reader.accept('&&')) {
      intersected.push(anyOf(tests));
      tests = [];
      continue;
    }
    tests.push(readMember(reader));
    isEmpty = false;
  }
  if (isEmpty) reader.fail('empty char-class');
  const last = anyOf(tests);
  return invertedIf(inverted, (code) => last(code) && intersected.every((other) => other(code)));
}

function hasOtherClose(reader: PatternReader): boolean {
  for (let offset = 1; reader.peek(offset) !== undefined; offset++) {
    if (reader.peek(offset) === ']') return true;
  }
  return reader.fail('empty char-class');
}

function anyOf(tests: readonly CodePointTest[]): CodePointTest {
  return (code) => tests.some((test) => test(code));
}

function readMember(reader: PatternReader): CodePointTest {
  if (reader.peek() === '[') {
    const named = readPosix(reader);
    if (named !== null) return named;
    reader.accept('[');
    return parseClass(reader);
  }
  const low = readCode(reader);
  if (typeof low === 'function') return low;
  if (reader.peek() !== '-' || reader.peek(1) === ']' || reader.peek(1) === undefined) {
    return (code) => code === low;
  }
  reader.accept('-');
  const high = reader.peek() === '[' ? parseNestedEnd(reader, low) : readCode(reader);
  if (typeof high === 'function') return (code) => code === low || code === 0x2d || high(code);
  if (high < low) reader.fail('empty range in char class');
  return (code) => code >= low && code <= high;
}

/** `[a-[…]]`: the dash is a member of its own. */
function parseNestedEnd(reader: PatternReader, low: number): CodePointTest {
  const nested = readMember(reader);
  return (code) => code === low || nested(code);
}

/** One character of a class, or the class an escape stands for. */
function readCode(reader: PatternReader): number | CodePointTest {
  const character = reader.next('premature end of char-class');
  if (character !== '\\') return character.codePointAt(0)!;
  const escaped = reader.next('end pattern at escape');
  const test = classEscape(reader, escaped);
  if (test !== null) return test;
  return escaped === 'b' ? 8 : escapedCode(reader, escaped);
}

/** `[:name:]` or `[:^name:]`; null where no such thing stands. */
function readPosix(reader: PatternReader): CodePointTest | null {
  if (reader.peek(1) !== ':') return null;
  let text = '';
  for (let offset = 2; ; offset++) {
    const character = reader.peek(offset);
    if (character === undefined || character === ']') return null;
    if (character === ':' && reader.peek(offset + 1) === ']') break;
    text += character;
  }
  const inverted = text.startsWith('^');
  const test = posixClass(inverted ? text.slice(1) : text);
  if (test === undefined) return null;
  reader.accept(`[:${text}:]`);
  return invertedIf(inverted, test);
}
