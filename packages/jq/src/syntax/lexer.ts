import { JqCompileError } from '../errors.js';
import type { SourceMap } from './range.js';
import { keywords, type StringPart, type Token, type TokenType } from './token.js';

const operators = [
  '?//',
  '//=',
  '|=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '==',
  '!=',
  '<=',
  '>=',
  '//',
  '..',
  ...'.[]{}()|,:;=<>+-*/%?$',
];
const identifierPattern = /(?:[a-zA-Z_][a-zA-Z_0-9]*::)*[a-zA-Z_][a-zA-Z_0-9]*/y;
const numberPattern = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const formatPattern = /@[a-zA-Z0-9_]+/y;
const simpleEscapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Splits jq source into tokens; string interpolations hold their own token lists. */
export class Lexer {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly map: SourceMap,
    private readonly maximumDepth: number,
  ) {}

  /** All tokens up to the end of the source, closed by one `end` token. */
  tokenize(): Token[] {
    const tokens = this.tokensUntil(null, 0);
    return tokens;
  }

  private fail(message: string, start: number, end = start + 1): never {
    throw new JqCompileError('syntax', message, this.map.range(start, Math.min(end, this.source.length)));
  }

  private checkDepth(depth: number, start: number): void {
    if (depth <= this.maximumDepth) return;
    const message = `Brackets are nested deeper than ${this.maximumDepth} levels`;
    throw new JqCompileError('source_too_deep', message, this.map.range(start, start + 1));
  }

  /** Reads tokens up to the end, or up to the `)` that closes an interpolation opened at `opened`. */
  private tokensUntil(opened: number | null, depth: number): Token[] {
    const tokens: Token[] = [];
    let open = 0;
    for (;;) {
      this.skipBlanks();
      const start = this.at;
      const character = this.source[start];
      if (character === undefined) {
        if (opened !== null) this.fail('Unterminated string interpolation', opened, this.source.length);
        tokens.push({ type: 'end', text: '', start, end: start });
        return tokens;
      }
      if (character === '(' || character === '[' || character === '{') this.checkDepth(depth + ++open, start);
      if (character === ')' || character === ']' || character === '}') {
        if (open === 0 && character === ')' && opened !== null) {
          tokens.push({ type: 'end', text: ')', start, end: start + 1 });
          this.at++;
          return tokens;
        }
        open--;
      }
      tokens.push(this.token(character, start, depth + open));
    }
  }

  private skipBlanks(): void {
    const { source } = this;
    for (;;) {
      const character = source[this.at];
      if (character === ' ' || character === '\t' || character === '\n' || character === '\r') this.at++;
      else if (character === '#') this.skipComment();
      else return;
    }
  }

  /** A comment runs to the end of its line; an odd number of backslashes before that continues it. */
  private skipComment(): void {
    const { source } = this;
    let backslashes = 0;
    for (; this.at < source.length; this.at++) {
      const character = source[this.at];
      if (character === '\n') {
        if (backslashes % 2 === 0) return;
        backslashes = 0;
      } else if (character === '\\') backslashes++;
      else if (character !== '\r' || source[this.at + 1] !== '\n') backslashes = 0;
    }
  }

  private token(character: string, start: number, depth: number): Token {
    if (character === '"') return this.string(start, depth);
    if (character === '.') {
      const name = this.match(identifierPattern, start + 1);
      if (name !== null && !name.includes('::')) {
        this.at = start + 1 + name.length;
        return this.make('field', name, start);
      }
    }
    const number = this.match(numberPattern, start);
    if (number !== null) {
      this.at = start + number.length;
      return this.make('number', number, start);
    }
    if (character === '$') {
      const name = this.match(identifierPattern, start + 1);
      if (name !== null) {
        this.at = start + 1 + name.length;
        return this.make('variable', name, start);
      }
    }
    const format = this.match(formatPattern, start);
    if (format !== null) {
      this.at = start + format.length;
      return this.make('format', format.slice(1), start);
    }
    const identifier = this.match(identifierPattern, start);
    if (identifier !== null) {
      this.at = start + identifier.length;
      return this.make(keywords.has(identifier) ? 'keyword' : 'identifier', identifier, start);
    }
    for (const operator of operators) {
      if (this.source.startsWith(operator, start)) {
        this.at = start + operator.length;
        return this.make('punctuation', operator, start);
      }
    }
    const unexpected = String.fromCodePoint(this.source.codePointAt(start)!);
    return this.fail(`syntax error, unexpected character ${JSON.stringify(unexpected)}`, start);
  }

  private make(type: TokenType, text: string, start: number): Token {
    return { type, text, start, end: this.at };
  }

  private match(pattern: RegExp, at: number): string | null {
    pattern.lastIndex = at;
    return pattern.exec(this.source)?.[0] ?? null;
  }

  private string(start: number, depth: number): Token {
    const { source } = this;
    const parts: StringPart[] = [];
    let text = '';
    let from = start + 1;
    this.at = from;
    for (;;) {
      const character = source[this.at];
      if (character === undefined) this.fail('Unterminated string literal', start, source.length);
      if (character === '"') break;
      if (character !== '\\') {
        this.at++;
        continue;
      }
      text += source.slice(from, this.at);
      if (source[this.at + 1] === '(') {
        const opened = this.at;
        this.at += 2;
        if (text !== '') parts.push({ text });
        text = '';
        this.checkDepth(depth + 1, opened);
        parts.push({ tokens: this.tokensUntil(opened, depth + 1) });
      } else text += this.escape();
      from = this.at;
    }
    text += source.slice(from, this.at);
    if (text !== '' || parts.length === 0) parts.push({ text });
    this.at++;
    return { type: 'string', text: '', start, end: this.at, parts };
  }

  /** Reads one backslash escape at the current place. Lone surrogates become U+FFFD, as in jq. */
  private escape(): string {
    const start = this.at;
    const kind = this.source[start + 1];
    const simple = kind === undefined ? undefined : simpleEscapes[kind];
    if (simple !== undefined) {
      this.at += 2;
      return simple;
    }
    const unit = kind === 'u' ? this.hexUnit(start) : null;
    if (unit === null) this.fail('Invalid escape in a string literal', start, start + 2);
    this.at += 6;
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const low = unit < 0xdc00 && this.source.startsWith('\\u', this.at) ? this.hexUnit(this.at) : null;
    if (low === null || low < 0xdc00 || low > 0xdfff) return '\ufffd';
    this.at += 6;
    return String.fromCharCode(unit, low);
  }

  private hexUnit(start: number): number | null {
    const digits = this.source.slice(start + 2, start + 6);
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : null;
  }
}
