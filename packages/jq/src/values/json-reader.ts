import { maximumValueDepth } from '../limits.js';
import type { JsonArray, JsonObject, JsonValue } from './json.js';
import { setKey } from './object.js';
import { utf8Length } from './text.js';

const numberLiteral = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped.
const controlOrEscape = /[\u0000-\u001f]|\\u(.{0,4})|\\(.)/gs;
const lowSurrogateEscape = /^\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
const words: Readonly<Record<string, JsonValue>> = {
  true: true,
  false: false,
  null: null,
  nan: Number.NaN,
  NaN: Number.NaN,
  '-nan': Number.NaN,
  '-NaN': Number.NaN,
  Infinity: Infinity,
  infinity: Infinity,
  '-Infinity': -Infinity,
  '-infinity': -Infinity,
};

interface Level {
  readonly container: JsonArray | JsonObject;
  /** The key whose value comes next; only in objects. */
  key: string | null;
}

/** Reads JSON token by token, so that nesting takes no native stack and errors are those of jq. */
export class JsonReader {
  private at = 0;
  private readonly levels: Level[] = [];
  private value: JsonValue | undefined;
  private fail: (problem: string) => never = () => {
    throw new Error('Not reading');
  };

  constructor(
    private readonly text: string,
    private readonly onPrecisionLoss: (literal: string) => void,
  ) {}

  /** The one value of the text. Problems, with their place, go to `fail`. */
  read(fail: (problem: string) => never): JsonValue {
    this.fail = fail;
    const { text } = this;
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
    let wordStart = -1;
    for (; this.at < text.length; this.at++) {
      const character = text[this.at]!;
      const isSpace = character === ' ' || character === '\t' || character === '\n' || character === '\r';
      if (!isSpace && !'[]{}:,"'.includes(character)) {
        if (wordStart === -1) wordStart = this.at;
        continue;
      }
      if (wordStart !== -1) this.word(text.slice(wordStart, this.at));
      wordStart = -1;
      if (character === '"') this.string();
      else if (!isSpace) this.punctuation(character);
    }
    if (wordStart !== -1) this.word(text.slice(wordStart));
    if (this.levels.length > 0) this.problem('Unfinished JSON term');
    return this.value === undefined ? fail('Expected JSON value') : this.value;
  }

  private problem(message: string): never {
    const isEnd = this.at >= this.text.length;
    const before = this.text.slice(0, isEnd ? this.text.length : this.at + 1);
    const line = before.split('\n').length;
    const column = utf8Length(before.slice(before.lastIndexOf('\n') + 1));
    return this.fail(`${message}${isEnd ? ' at EOF' : ''} at line ${line}, column ${column}`);
  }

  private take(value: JsonValue): void {
    if (this.value !== undefined) {
      if (this.levels.length === 0) this.fail('Unexpected extra JSON values');
      this.problem('Expected separator between values');
    }
    this.value = value;
  }

  private open(container: JsonArray | JsonObject): void {
    if (this.levels.length >= maximumValueDepth) this.problem('Exceeds depth limit for parsing');
    if (this.value !== undefined) this.take(null);
    this.levels.push({ container, key: null });
  }

  private punctuation(character: string): void {
    const level = this.levels.at(-1);
    const { value } = this;
    switch (character) {
      case '[':
        this.open([]);
        return;
      case '{':
        this.open({});
        return;
      case ':':
        // A whole value is done with: what follows it does not belong to it.
        if (value === undefined || level === undefined) this.problem("Expected string key before ':'");
        if (Array.isArray(level.container)) this.problem("':' not as part of an object");
        if (level.key !== null) this.problem("':' should follow a key");
        if (typeof value !== 'string') this.problem('Object keys must be strings');
        level.key = value;
        this.value = undefined;
        return;
      case ',':
        if (value === undefined || level === undefined) this.problem("Expected value before ','");
        this.store(level, value);
        return;
      case ']':
        if (level === undefined || !Array.isArray(level.container)) this.problem("Unmatched ']'");
        if (value !== undefined) this.store(level, value);
        else if (level.container.length > 0) this.problem('Expected another array element');
        break;
      default:
        if (level === undefined) this.problem("Unmatched '}'");
        if (value !== undefined) this.store(level, value, true);
        else if (Array.isArray(level.container) || level.key !== null) this.problem("Unmatched '}'");
        else if (Object.keys(level.container).length > 0) this.problem('Expected another key-value pair');
    }
    this.levels.pop();
    this.value = level.container;
  }

  private store(level: Level, value: JsonValue, needsKey = false): void {
    const { container, key } = level;
    if (Array.isArray(container) && !needsKey) container.push(value);
    else if (key === null) this.problem('Objects must consist of key:value pairs');
    else setKey(container as JsonObject, key, value);
    level.key = null;
    this.value = undefined;
  }

  private string(): void {
    const start = this.at;
    let end = start + 1;
    for (; end < this.text.length && this.text[end] !== '"'; end++) {
      if (this.text[end] === '\\') end++;
    }
    this.at = end;
    if (end >= this.text.length) this.problem('Unfinished string');
    const raw = this.text.slice(start, end + 1);
    const problem = stringProblem(raw.slice(1, -1));
    if (problem !== null) this.problem(problem);
    this.take((JSON.parse(raw) as string).replace(/\p{Surrogate}/gu, '\ufffd'));
  }

  private word(word: string): void {
    if (Object.hasOwn(words, word)) {
      this.take(words[word]!);
      return;
    }
    if (word.startsWith("'")) this.problem(`Invalid string literal; expected ", but got '`);
    if (/^(?:t|f|nu)/.test(word)) this.problem('Invalid literal');
    if (!numberLiteral.test(word)) this.problem('Invalid numeric literal');
    const value = Number(word);
    if (losesDigits(word, value)) this.onPrecisionLoss(word);
    this.take(Math.max(Math.min(value, Number.MAX_VALUE), -Number.MAX_VALUE));
  }
}

/** The first thing that is wrong with what stands between the quotes of a string. */
function stringProblem(content: string): string | null {
  for (const { 0: found, 1: digits, 2: letter, index } of content.matchAll(controlOrEscape)) {
    if (letter !== undefined) {
      if (!'"\\/bfnrt'.includes(letter)) return 'Invalid escape';
    } else if (digits === undefined) {
      return 'Invalid string: control characters from U+0000 through U+001F must be escaped';
    } else {
      if (digits.length < 4) return 'Invalid \\uXXXX escape';
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) return 'Invalid characters in \\uXXXX escape';
      const isHigh = /^[dD][89abAB]/.test(digits);
      if (isHigh && !lowSurrogateEscape.test(content.slice(index + found.length))) {
        return 'Invalid \\uXXXX\\uXXXX surrogate pair escape';
      }
    }
  }
  return null;
}

/** Whether an integer literal has digits that its double does not keep. */
function losesDigits(literal: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^[-+]?[0-9]+$/.test(literal)) return false;
  return !Number.isFinite(value) || BigInt(literal.replace('+', '')) !== BigInt(value);
}
