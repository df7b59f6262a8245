import type { MapEntry, SourceNode } from './source-node.js';

/** What is deeper or has more pieces is left to the reader of YAML, which knows the limits and tells where they end. */
const deepest = 100;
const mostPieces = 1_000_000;

const newline = 0x0a;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

/**
 * The nodes of a text that is plain JSON, as the reader of YAML would make them, without loading or running it: that is
 * most of what a first run of a definition costs that a program hands over. Undefined when the text is no JSON object,
 * or when there is anything to say about it: repeated keys, tabs, damaged characters, too many or too deep values.
 */
export function readJson(text: string): SourceNode | undefined {
  if (!/^[ \n]*\{/.test(text) || /[\t\r]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new JsonWalker(text).value();
}

/** Walks a text that is known to be JSON. A method that gives undefined has found something to be said about it. */
class JsonWalker {
  #at = 0;
  #level = 0;
  /** At least as many as the lexer of YAML would count. */
  #pieces = 0;

  constructor(readonly text: string) {}

  value(): SourceNode | undefined {
    this.#skipWhiteSpace();
    this.#pieces += 2;
    if (this.#pieces > mostPieces) return undefined;
    const start = this.#at;
    const first = this.text.charCodeAt(start);
    if (first === quote) {
      const value = this.#string();
      if (value === undefined) return undefined;
      return { type: 'scalar', value, written: value, style: 'double', range: { start, end: this.#at } };
    }
    if (first !== brace && first !== bracket) return this.#plain();
    this.#level += 1;
    if (this.#level > deepest) return undefined;
    this.#at += 1;
    const collection = first === brace ? this.#map(start) : this.#list(start);
    this.#level -= 1;
    return collection;
  }

  #map(start: number): SourceNode | undefined {
    const entries = new Map<string, MapEntry>();
    while (!this.#ends(closingBrace)) {
      const keyRange = { start: this.#at, end: this.#at };
      const key = this.#string();
      keyRange.end = this.#at;
      if (key === undefined || entries.has(key)) return undefined;
      this.#skipWhiteSpace();
      this.#at += 1;
      this.#pieces += 2;
      const value = this.value();
      if (value === undefined) return undefined;
      entries.set(key, { key, keyRange, value });
    }
    return { type: 'map', range: { start, end: this.#at }, entries };
  }

  #list(start: number): SourceNode | undefined {
    const items: SourceNode[] = [];
    while (!this.#ends(closingBracket)) {
      const item = this.value();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { type: 'list', range: { start, end: this.#at }, items };
  }

  /** Goes to the next entry, or behind the closing mark. */
  #ends(closing: number): boolean {
    this.#skipWhiteSpace();
    this.#pieces += 1;
    const ends = this.text.charCodeAt(this.#at) === closing;
    if (ends || this.text.charCodeAt(this.#at) === comma) this.#at += 1;
    if (!ends) this.#skipWhiteSpace();
    return ends;
  }

  #string(): string | undefined {
    const { text } = this;
    const start = this.#at;
    let end = start + 1;
    let escaped = false;
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      if (code === backslash) escaped = true;
      end += code === backslash ? 2 : 1;
    }
    this.#at = end + 1;
    const value = escaped ? (JSON.parse(text.slice(start, end + 1)) as string) : text.slice(start + 1, end);
    return value.isWellFormed() ? value : undefined;
  }

  /** A number, `true`, `false` or `null`. */
  #plain(): SourceNode {
    const start = this.#at;
    while (/[\w.+-]/.test(this.text.charAt(this.#at))) this.#at += 1;
    const written = this.text.slice(start, this.#at);
    const value = JSON.parse(written) as number | boolean | null;
    return { type: 'scalar', value, written, style: 'plain', range: { start, end: this.#at } };
  }

  #skipWhiteSpace(): void {
    let before = 0;
    for (let code = this.text.charCodeAt(this.#at); code === space || code === newline; ) {
      // Spaces in a row are one piece.
      if (code === newline || before !== space) this.#pieces += 1;
      before = code;
      this.#at += 1;
      code = this.text.charCodeAt(this.#at);
    }
  }
}
