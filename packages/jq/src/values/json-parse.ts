import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import type { JsonArray, JsonObject, JsonValue } from './json.js';
import { setKey } from './object.js';
import { raise } from './raise.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: jq accepts them where JSON.parse does not.
const controlCharacters = /[\u0000-\u001f]/g;
const whitespace = /[ \t\r\n]*/y;
const numberToken = /-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /[-+A-Za-z0-9.]+/y;
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

/**
 * Reads one JSON text as jq's `fromjson` does, without native recursion: also `nan` and infinities, lone surrogates
 * as U+FFFD. Reports numbers that lose digits to `context.onPrecisionLoss`. Raises a jq error for anything else.
 */
export function parseJson(text: string, context: Context): JsonValue {
  return new JsonReader(text, context).read();
}

interface Open {
  readonly container: JsonArray | JsonObject;
  key: string;
}

class JsonReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly context: Context,
  ) {
    context.charge(text.length >>> 4);
  }

  read(): JsonValue {
    const open: Open[] = [];
    this.skipSpace();
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1;
    for (;;) {
      this.skipSpace();
      let value = this.openOrScalar(open);
      if (value === undefined) continue;
      // The value is complete: put it into its container, closing as many as end here.
      for (;;) {
        const level = open.at(-1);
        this.skipSpace();
        if (level === undefined) {
          if (this.at < this.text.length) this.fail('Unexpected extra JSON values');
          return value;
        }
        const { container } = level;
        if (Array.isArray(container)) container.push(value);
        else setKey(container, level.key, value);
        const close = Array.isArray(container) ? ']' : '}';
        if (this.take(',')) {
          if (!Array.isArray(container)) this.readKey(level);
          break;
        }
        if (!this.take(close)) this.fail(`Expected separator or '${close}'`);
        open.pop();
        value = container;
      }
    }
  }

  /** Reads a scalar or an empty container, or opens a container and returns undefined. */
  private openOrScalar(open: Open[]): JsonValue | undefined {
    const character = this.text[this.at];
    if (character === '[' || character === '{') {
      if (open.length >= maximumValueDepth) this.fail('Exceeds depth limit for parsing');
      this.at++;
      this.skipSpace();
      if (character === '[') {
        if (this.take(']')) return [];
        open.push({ container: [], key: '' });
        return undefined;
      }
      if (this.take('}')) return {};
      const level: Open = { container: {}, key: '' };
      open.push(level);
      this.readKey(level);
      return undefined;
    }
    if (character === '"') return this.readString();
    return this.readWord();
  }

  private readKey(level: Open): void {
    this.skipSpace();
    if (this.text[this.at] !== '"') this.fail('Object keys must be strings');
    level.key = this.readString();
    this.skipSpace();
    if (!this.take(':')) this.fail("Expected ':' after an object key");
  }

  private readString(): string {
    const start = this.at;
    let end = start + 1;
    for (; ; end++) {
      const code = this.text.charCodeAt(end);
      if (Number.isNaN(code)) this.fail('Unfinished string');
      if (code === 0x5c) end++;
      else if (code === 0x22) break;
    }
    const raw = this.text.slice(start, end + 1);
    this.at = end + 1;
    try {
      // jq accepts raw control characters in strings.
      const escaped = raw.replace(controlCharacters, escapeControl);
      return (JSON.parse(escaped) as string).replace(/\p{Surrogate}/gu, '\ufffd');
    } catch {
      return this.fail('Invalid escape');
    }
  }

  private readWord(): JsonValue {
    numberToken.lastIndex = this.at;
    wordToken.lastIndex = this.at;
    const word = wordToken.exec(this.text)?.[0];
    if (word === undefined) {
      if (this.at >= this.text.length) this.fail('Unfinished JSON term');
      if (this.text[this.at] === "'") {
        return this.fail(`Invalid string literal; expected ", but got '`);
      }
      return this.fail('Invalid literal');
    }
    if (Object.hasOwn(words, word)) {
      this.at += word.length;
      return words[word]!;
    }
    if (numberToken.exec(this.text)?.[0] !== word) return this.fail('Invalid numeric literal');
    this.at += word.length;
    const value = Number(word);
    if (losesDigits(word, value)) this.context.onPrecisionLoss?.(word);
    return Math.max(Math.min(value, Number.MAX_VALUE), -Number.MAX_VALUE);
  }

  private skipSpace(): void {
    whitespace.lastIndex = this.at;
    whitespace.exec(this.text);
    this.at = whitespace.lastIndex;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private fail(problem: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    const shown = this.text.length > 100 ? `${this.text.slice(0, 100)}...` : this.text;
    return raise(`${problem} at line ${line}, column ${column} (while parsing '${shown}')`);
  }
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether an integer literal has digits that its double does not keep. */
export function losesDigits(literal: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(literal)) return false;
  return !Number.isFinite(value) || BigInt(literal) !== BigInt(value);
}
