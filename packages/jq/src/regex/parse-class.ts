import { type CodePointTest, posixClass } from './char-set.js';
import type { RegexParser } from './parser.js';

/** Parses a bracket class after its `[`: ranges, escapes, POSIX names, nested classes, `&&`. */
export function parseClass(parser: RegexParser): CodePointTest {
  return parser.nested(() => readClass(parser));
}

function readClass(parser: RegexParser): CodePointTest {
  const inverted = parser.accept('^');
  const intersected: CodePointTest[] = [];
  let tests: CodePointTest[] = [];
  let isFirst = true;
  let isEmpty = true;
  for (;;) {
    // A bracket that comes first is a member, if the class is closed by another one.
    if (parser.peek() === ']' && !(isFirst && hasOtherClose(parser))) {
      parser.accept(']');
      break;
    }
    isFirst = false;
    if (parser.accept('&&')) {
      intersected.push(anyOf(tests));
      tests = [];
      continue;
    }
    tests.push(readMember(parser));
    isEmpty = false;
  }
  if (isEmpty) parser.fail('empty char-class');
  const last = anyOf(tests);
  const test: CodePointTest = (code) => last(code) && intersected.every((other) => other(code));
  return inverted ? (code) => !test(code) : test;
}

function hasOtherClose(parser: RegexParser): boolean {
  for (let offset = 1; parser.peek(offset) !== undefined; offset++) {
    if (parser.peek(offset) === ']') return true;
  }
  return parser.fail('empty char-class');
}

function anyOf(tests: readonly CodePointTest[]): CodePointTest {
  return (code) => tests.some((test) => test(code));
}

function readMember(parser: RegexParser): CodePointTest {
  if (parser.peek() === '[') {
    const named = readPosix(parser);
    if (named !== null) return named;
    parser.accept('[');
    return parseClass(parser);
  }
  const low = readCode(parser);
  if (typeof low === 'function') return low;
  if (parser.peek() !== '-' || parser.peek(1) === ']' || parser.peek(1) === undefined) {
    return (code) => code === low;
  }
  parser.accept('-');
  const high = parser.peek() === '[' ? parseNestedEnd(parser, low) : readCode(parser);
  if (typeof high === 'function') return (code) => code === low || code === 0x2d || high(code);
  if (high < low) parser.fail('empty range in char class');
  return (code) => code >= low && code <= high;
}

/** `[a-[…]]`: the dash is a member of its own. */
function parseNestedEnd(parser: RegexParser, low: number): CodePointTest {
  const nested = readMember(parser);
  return (code) => code === low || nested(code);
}

/** One character of a class, or the class an escape stands for. */
function readCode(parser: RegexParser): number | CodePointTest {
  const character = parser.next('premature end of char-class');
  if (character !== '\\') return character.codePointAt(0)!;
  const escaped = parser.next('end pattern at escape');
  const test = parser.classEscape(escaped);
  if (test !== null) return test;
  return escaped === 'b' ? 8 : parser.escapedCode(escaped);
}

/** `[:name:]` or `[:^name:]`; null where no such thing stands. */
function readPosix(parser: RegexParser): CodePointTest | null {
  if (parser.peek(1) !== ':') return null;
  let text = '';
  for (let offset = 2; ; offset++) {
    const character = parser.peek(offset);
    if (character === undefined || character === ']') return null;
    if (character === ':' && parser.peek(offset + 1) === ']') break;
    text += character;
  }
  const inverted = text.startsWith('^');
  const test = posixClass(inverted ? text.slice(1) : text);
  if (test === undefined) return null;
  parser.accept(`[:${text}:]`);
  return inverted ? (code) => !test(code) : test;
}
