import { JqCompileError } from '../errors.js';
import type { Limits } from '../limits.js';
import type { As, AssignmentOperator, BinaryOperator, FunctionDefinition, Node, Pattern } from './ast.js';
import { Lexer } from './lexer.js';
import { parseObject } from './parse-object.js';
import { parsePatterns } from './parse-pattern.js';
import { parseTerm } from './parse-term.js';
import { SourceMap } from './range.js';
import { TokenStream } from './token-stream.js';

interface Precedence {
  readonly level: number;
  readonly side: 'left' | 'right' | 'none';
}

/** Binary operators by how tightly they bind; those of side `none` cannot be chained. */
const precedences: ReadonlyMap<string, Precedence> = new Map(
  (
    [
      { level: 1, side: 'right', operators: ['//'] },
      { level: 2, side: 'none', operators: ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='] },
      { level: 3, side: 'left', operators: ['or'] },
      { level: 4, side: 'left', operators: ['and'] },
      { level: 5, side: 'none', operators: ['==', '!=', '<', '<=', '>', '>='] },
      { level: 6, side: 'left', operators: ['+', '-'] },
      { level: 7, side: 'left', operators: ['*', '/', '%'] },
    ] satisfies (Precedence & { operators: string[] })[]
  ).flatMap(({ level, side, operators }) => operators.map((operator) => [operator, { level, side }])),
);
const multiplication = 7;

/**
 * Parses a jq program. A program without a main expression (empty, or definitions only) means `.`.
 * Throws JqCompileError with code `syntax`, `refused_feature`, `source_too_large` or `source_too_deep`.
 */
export function parse(source: string, limits: Pick<Limits, 'sourceBytes' | 'sourceDepth'>): Node {
  const map = new SourceMap(source);
  // A UTF-16 unit takes one to three bytes, so most sources need no count.
  if (source.length * 3 > limits.sourceBytes && Buffer.byteLength(source) > limits.sourceBytes) {
    const message = `The program is longer than ${limits.sourceBytes} bytes`;
    throw new JqCompileError('source_too_large', message, map.range(0, 0));
  }
  const tokens = new Lexer(source, map, limits.sourceDepth).tokenize();
  return new Parser(new TokenStream(tokens, map, limits.sourceDepth * 2)).program();
}

/** Recursive descent over a {@link TokenStream}; terms, objects and patterns have files of their own. */
export class Parser {
  constructor(readonly stream: TokenStream) {}

  program(): Node {
    const { stream } = this;
    const { token } = stream;
    if (token.type === 'keyword' && ['import', 'include', 'module'].includes(token.text)) {
      const message = `Modules are not supported: remove '${token.text}' and define the functions in place`;
      throw new JqCompileError('refused_feature', message, stream.range(token.start, token.end));
    }
    const body = this.isAtEnd() ? this.identity() : this.query();
    if (!this.isAtEnd()) stream.unexpected('expecting the end of the program');
    return body;
  }

  private isAtEnd(): boolean {
    return this.stream.token.type === 'end';
  }

  private identity(): Node {
    const { start } = this.stream.token;
    return { type: 'identity', range: this.stream.range(start, start) };
  }

  /** Everything: definitions, `|`, `,`, `as` and `label`. */
  query(): Node {
    return this.stream.nested(() => {
      const { start } = this.stream.token;
      const stages = [this.commas()];
      while (this.stream.accept('|')) stages.push(this.commas());
      if (stages.length === 1) return stages[0]!;
      return this.stream.node({ type: 'pipe', stages, range: this.stream.range(start) }, ...stages);
    });
  }

  private commas(): Node {
    const { start } = this.stream.token;
    const items = [this.item()];
    while (this.stream.accept(',')) items.push(this.item());
    if (items.length === 1) return items[0]!;
    return this.stream.node({ type: 'comma', items, range: this.stream.range(start) }, ...items);
  }

  /** One operand of `,`. Definitions, bindings and labels reach to the end of the query. */
  private item(): Node {
    const { stream } = this;
    const { start } = stream.token;
    if (stream.peekIs('def')) {
      const definition = this.definition();
      const body = this.isQueryEnd() ? this.identity() : this.query();
      const node: Node = { type: 'def', definition, body, range: stream.range(start) };
      return stream.node(node, definition.body, body);
    }
    if (stream.accept('label')) {
      const name = this.variableName('after label');
      stream.expect('|', 'after the label');
      const body = this.query();
      return stream.node({ type: 'label', name, body, range: stream.range(start) }, body);
    }
    const source = this.expression();
    if (!stream.peekIs('as')) return source;
    const patterns = this.asPatterns();
    stream.expect('|', 'after the binding');
    const body = this.query();
    const node: As = { type: 'as', source, patterns, body, range: stream.range(start) };
    return stream.node(node, source, body);
  }

  private isQueryEnd(): boolean {
    return this.isAtEnd() && this.stream.token.text === '';
  }

  /** `as PATTERN ?// PATTERN …` */
  asPatterns(): Pattern[] {
    this.stream.expect('as', 'before a variable');
    return parsePatterns(this);
  }

  private definition(): FunctionDefinition {
    const { stream } = this;
    const { start } = stream.next();
    const nameToken = stream.next();
    const isName = nameToken.type === 'identifier' || nameToken.type === 'keyword';
    if (!isName) {
      stream.fail('syntax error, expecting a function name after def', stream.range(nameToken.start));
    }
    const parameters: { name: string; value: boolean }[] = [];
    if (stream.accept('(')) {
      do {
        const token = stream.next();
        if (token.type !== 'identifier' && token.type !== 'keyword' && token.type !== 'variable') {
          const range = stream.range(token.start, token.end);
          stream.fail(
            `syntax error, expecting a parameter name in the definition of ${nameToken.text}`,
            range,
          );
        }
        parameters.push({ name: token.text, value: token.type === 'variable' });
      } while (stream.accept(';'));
      stream.expect(')', `to close the parameters of ${nameToken.text}`);
    }
    stream.expect(':', `before the body of ${nameToken.text}`);
    const body = this.query();
    stream.expect(';', `to end the definition of ${nameToken.text}`);
    return { name: nameToken.text, parameters, body, range: stream.range(start) };
  }

  variableName(purpose: string): string {
    const token = this.stream.token;
    if (token.type !== 'variable') this.stream.unexpected(`expecting a $name ${purpose}`);
    this.stream.next();
    return token.text;
  }

  /** Binary operators by precedence climbing; `minimum` is the weakest operator taken. */
  expression(minimum = 1): Node {
    const { stream } = this;
    const { start } = stream.token;
    let left = this.unary();
    let unchainable = 0;
    for (;;) {
      const { token } = stream;
      const found =
        token.type === 'punctuation' || token.type === 'keyword' ? precedences.get(token.text) : undefined;
      if (found === undefined || found.level < minimum) return left;
      if (found.level === unchainable) stream.unexpected('operators of this kind cannot be chained');
      unchainable = found.side === 'none' ? found.level : 0;
      stream.next();
      const right = stream.nested(() =>
        this.expression(found.side === 'right' ? found.level : found.level + 1),
      );
      left = stream.node(combine(token.text, left, right, stream.range(start)), left, right);
    }
  }

  /** `-x`, `try`, or a term. */
  unary(): Node {
    const { stream } = this;
    const { start } = stream.token;
    if (stream.accept('-')) {
      const operand = stream.nested(() => this.expression(multiplication));
      return stream.node({ type: 'negate', operand, range: stream.range(start) }, operand);
    }
    if (stream.accept('try')) {
      const body = stream.nested(() => this.unary());
      const handler = stream.accept('catch') ? stream.nested(() => this.unary()) : null;
      return stream.node({ type: 'try', body, handler, range: stream.range(start) }, body, handler);
    }
    return parseTerm(this);
  }

  object(): Node {
    return parseObject(this);
  }
}

function combine(operator: string, left: Node, right: Node, range: Node['range']): Node {
  if (operator === '//') return { type: 'alternative', left, right, range };
  if (operator === 'and' || operator === 'or') return { type: 'logical', operator, left, right, range };
  if (operator.endsWith('=') && !['==', '!=', '<=', '>='].includes(operator)) {
    return {
      type: 'assignment',
      operator: operator as AssignmentOperator,
      target: left,
      value: right,
      range,
    };
  }
  return { type: 'binary', operator: operator as BinaryOperator, left, right, range };
}
