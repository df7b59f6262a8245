import { maximumValueDepth } from '../limits.js';
import type { JsonArray, JsonObject, JsonValue } from './json.js';
import { setKey } from './object.js';
import { utf8Length } from './text.js';

const numberLiteral = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: jq accepts them where JSON.parse does not.
const controlCharacters = /[\u0000-\u001f]/g;
const loneSurrogate = /\p{Surrogate}/u;
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
        if (value === undefined) this.problem("Expected string key before ':'");
        if (level === undefined || Array.isArray(level.container)) {
          this.problem("':' not as part of an object");
        }
        if (level.key !== null) this.problem("':' should follow a key");
        if (typeof value !== 'string') this.problem('Object keys must be strings');
        level.key = value;
        this.value = undefined;
        return;
      case ',':
        if (value === undefined) this.problem("Expected value before ','");
        if (level === undefined) this.problem("',' not as part of an object or array");
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
    const raw = this.text.slice(start, end + 1).replace(controlCharacters, escapeControl);
    let value: string;
    try {
      value = JSON.parse(raw) as string;
    } catch {
      this.problem('Invalid escape');
    }
    const hasLoneSurrogate = loneSurrogate.test(value);
    if (hasLoneSurrogate && raw.includes('\\u')) this.problem('Invalid \\uXXXX\\uXXXX surrogate pair escape');
    this.take(hasLoneSurrogate ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value);
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

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether an integer literal has digits that its double does not keep. */
function losesDigits(literal: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^[-+]?[0-9]+$/.test(literal)) return false;
  return !Number.isFinite(value) || BigInt(literal.replace('+', '')) !== BigInt(value);
}
