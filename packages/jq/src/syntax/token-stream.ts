import { JqCompileError } from '../errors.js';
import type { Node } from './ast.js';
import { children } from './children.js';
import type { Range, SourceMap } from './range.js';
import type { Token } from './token.js';

/** What every part of the parser shares: the place in the token list, ranges, errors and depth. */
export class TokenStream {
  private at = 0;
  private nesting = 0;

  constructor(
    private tokens: readonly Token[],
    readonly map: SourceMap,
    private readonly maximumDepth: number,
  ) {}

  get token(): Token {
    return this.tokens[this.at]!;
  }

  /** End offset of the last consumed token. */
  get lastEnd(): number {
    return this.at === 0 ? 0 : this.tokens[this.at - 1]!.end;
  }

  next(): Token {
    const token = this.token;
    if (token.type !== 'end') this.at++;
    return token;
  }

  peekIs(text: string): boolean {
    const { type, text: actual } = this.token;
    return (type === 'punctuation' || type === 'keyword') && actual === text;
  }

  accept(text: string): boolean {
    if (!this.peekIs(text)) return false;
    this.at++;
    return true;
  }

  expect(text: string, purpose: string): Token {
    if (!this.peekIs(text)) this.unexpected(`expecting '${text}' ${purpose}`);
    return this.next();
  }

  unexpected(expectation?: string): never {
    const { token } = this;
    const what =
      token.type === 'end' ? (token.text === ')' ? "')'" : 'end of the expression') : this.show(token);
    const message = `syntax error, unexpected ${what}${expectation ? `, ${expectation}` : ''}`;
    throw new JqCompileError('syntax', message, this.map.range(token.start, token.end));
  }

  private show(token: Token): string {
    if (token.type === 'string') return 'a string';
    const signs: Partial<Record<Token['type'], string>> = { field: '.', variable: '$', format: '@' };
    return `'${signs[token.type] ?? ''}${token.text}'`;
  }

  range(start: number, end = this.lastEnd): Range {
    return this.map.range(start, end);
  }

  fail(message: string, range: Range): never {
    throw new JqCompileError('syntax', message, range);
  }

  /** Enters one level of nesting, refusing sources nested beyond the limit. */
  enter(): void {
    this.checkDepth(++this.nesting, this.token);
  }

  leave(): void {
    this.nesting--;
  }

  /** Runs `parse` one level deeper. What nests most uses `enter` and `leave`, which take no stack frames. */
  nested<T>(parse: () => T): T {
    this.enter();
    const result = parse();
    this.leave();
    return result;
  }

  /** Parses the tokens of a string interpolation with `parse`, then goes on where it was. */
  inside<T>(tokens: readonly Token[], parse: () => T): T {
    const { tokens: outerTokens, at } = this;
    this.tokens = tokens;
    this.at = 0;
    const result = this.nested(parse);
    if (this.token.type !== 'end') this.unexpected();
    this.tokens = outerTokens;
    this.at = at;
    return result;
  }

  /**
   * Chains such as `.a.b.c` or `1+2+3` grow deep trees without nested brackets, so the depth of a finished tree is
   * limited too: whatever walks it recursively stays within the native stack.
   */
  checkTree(root: Node): void {
    const pending: { node: Node; depth: number }[] = [{ node: root, depth: 1 }];
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      const { node, depth } = entry;
      this.checkDepth(depth, node.range);
      for (const child of children(node)) pending.push({ node: child, depth: depth + 1 });
    }
  }

  private checkDepth(depth: number, place: { start: number; end: number }): void {
    if (depth <= this.maximumDepth) return;
    const range = this.map.range(place.start, place.end);
    throw new JqCompileError('source_too_deep', `Nested deeper than ${this.maximumDepth} levels`, range);
  }
}
