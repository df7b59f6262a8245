import { JqCompileError } from '../errors.js';
import type { SourceMap } from './range.js';
import { keywords, type StringPart, type Token, type TokenType } from './token.js';

/** Operators of several characters by their first one, the longest first. */
const longOperators: ReadonlyMap<string, readonly string[]> = new Map([
  ['?', ['?//']],
  ['/', ['//=', '//', '/=']],
  ['|', ['|=']],
  ['+', ['+=']],
  ['-', ['-=']],
  ['*', ['*=']],
  ['%', ['%=']],
  ['=', ['==']],
  ['!', ['!=']],
  ['<', ['<=']],
  ['>', ['>=']],
  ['.', ['..']],
]);
/** Operators of one character; brackets have been read before them. */
const signs: ReadonlySet<string> = new Set('.|,:;=<>+-*/%?$');
const numberPattern = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const formatPattern = /@[a-zA-Z0-9_]+/y;

/** What a character may be in a name: 1 its first or a later one, 2 a later one only. */
const nameParts = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-zA-Z_]/.test(character) ? 1 : /[0-9]/.test(character) ? 2 : 0;
});
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

const noParts: readonly StringPart[] = [];

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
    return this.tokensUntil(null, 0);
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
      switch (character) {
        case undefined:
          if (opened !== null) this.fail('Unterminated string interpolation', opened, this.source.length);
          tokens.push(this.make('end', '', start));
          return tokens;
        case '(':
        case '[':
        case '{':
          this.checkDepth(depth + ++open, start);
          break;
        case ')':
        case ']':
        case '}':
          if (open === 0 && character === ')' && opened !== null) {
            this.at++;
            tokens.push(this.make('end', ')', start));
            return tokens;
          }
          open--;
          break;
        default:
          tokens.push(this.token(character, start, depth + open));
          continue;
      }
      this.at++;
      tokens.push(this.make('punctuation', character, start));
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
    const { source } = this;
    const kind = nameParts[character.charCodeAt(0)];
    if (kind === 1) {
      const name = this.name(start);
      return this.make(keywords.has(name) ? 'keyword' : 'identifier', name, start);
    }
    switch (character) {
      case '"':
        return this.string(start, depth);
      case '.':
        if (this.isNameStart(start + 1)) {
          const name = this.name(start + 1);
          if (!name.includes('::')) return this.make('field', name, start);
        }
        break;
      case '$':
        if (this.isNameStart(start + 1)) return this.make('variable', this.name(start + 1), start);
        break;
      case '@': {
        const format = this.match(formatPattern, start);
        if (format !== null) return this.make('format', format.slice(1), start);
        break;
      }
      default:
    }
    if (kind === 2 || (character === '.' && nameParts[source.charCodeAt(start + 1)] === 2)) {
      return this.make('number', this.match(numberPattern, start)!, start);
    }
    const operator = this.longOperator(character, start) ?? (signs.has(character) ? character : undefined);
    if (operator !== undefined) {
      this.at = start + operator.length;
      return this.make('punctuation', operator, start);
    }
    const unexpected = String.fromCodePoint(source.codePointAt(start)!);
    return this.fail(`syntax error, unexpected character ${JSON.stringify(unexpected)}`, start);
  }

  private longOperator(character: string, start: number): string | undefined {
    const next = this.source[start + 1];
    if (next !== '=' && next !== '/' && next !== '.') return undefined;
    return longOperators.get(character)?.find((operator) => this.source.startsWith(operator, start));
  }

  private isNameStart(at: number): boolean {
    return nameParts[this.source.charCodeAt(at)] === 1;
  }

  /** Reads the name that starts at a place, with its modules: `a::b`. */
  private name(start: number): string {
    const { source } = this;
    this.at = start;
    for (;;) {
      while (nameParts[source.charCodeAt(this.at)]! > 0) this.at++;
      if (!source.startsWith('::', this.at) || !this.isNameStart(this.at + 2)) break;
      this.at += 2;
    }
    return source.slice(start, this.at);
  }

  private make(type: TokenType, text: string, start: number, parts = noParts): Token {
    return { type, text, start, end: this.at, parts };
  }

  private match(pattern: RegExp, start: number): string | null {
    pattern.lastIndex = start;
    if (!pattern.test(this.source)) return null;
    this.at = pattern.lastIndex;
    return this.source.slice(start, this.at);
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
    return this.make('string', '', start, parts);
  }

  /** Reads one backslash escape at the current place. A lone low surrogate becomes U+FFFD, as in jq. */
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
    if (unit >= 0xdc00) return '\ufffd';
    const low = this.source.startsWith('\\u', this.at) ? this.hexUnit(this.at) : null;
    if (low === null || low < 0xdc00 || low > 0xdfff) {
      this.fail('Invalid surrogate pair in a string literal', start, this.at);
    }
    this.at += 6;
    return String.fromCharCode(unit, low);
  }

  private hexUnit(start: number): number | null {
    const digits = this.source.slice(start + 2, start + 6);
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : null;
  }
}
