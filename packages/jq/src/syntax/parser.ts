import { JqCompileError } from '../errors.js';
import type { Limits } from '../limits.js';
import type { AssignmentOperator, BinaryOperator, FunctionDefinition, Node, Pattern } from './ast.js';
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
  const stream = new TokenStream(tokens, map, limits.sourceDepth * 2);
  const program = new Parser(stream).program();
  // No node stands for less than a character, but for the identity in front of `.a`.
  if (source.length >= limits.sourceDepth) stream.checkTree(program);
  return program;
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

  /**
   * Everything: definitions, `|`, `,`, `as` and `label`. This method and `expression` nest once for every bracket;
   * they do much themselves so that a bracket takes few stack frames.
   */
  query(): Node {
    const { stream } = this;
    stream.enter();
    const { start } = stream.token;
    const stages: Node[] = [];
    do {
      const itemsStart = stream.token.start;
      const items: Node[] = [];
      do {
        const itemStart = stream.token.start;
        const isStatement = stream.peekIs('def') || stream.peekIs('label');
        const item = isStatement ? this.statement() : this.expression(1);
        items.push(stream.peekIs('as') && !isStatement ? this.binding(item, itemStart) : item);
      } while (stream.accept(','));
      stages.push(items.length === 1 ? items[0]! : { type: 'comma', items, range: stream.range(itemsStart) });
    } while (stream.accept('|'));
    stream.leave();
    return stages.length === 1 ? stages[0]! : { type: 'pipe', stages, range: stream.range(start) };
  }

  /** A definition or label and what follows; both reach to the end of the query. */
  private statement(): Node {
    const { stream } = this;
    const { start } = stream.token;
    if (stream.accept('label')) {
      const name = this.variableName('after label');
      stream.expect('|', 'after the label');
      const body = this.query();
      return { type: 'label', name, body, range: stream.range(start) };
    }
    const definition = this.definition();
    const body = this.isQueryEnd() ? this.identity() : this.query();
    return { type: 'def', definition, body, range: stream.range(start) };
  }

  /** `source as PATTERN | body`; reaches to the end of the query. */
  private binding(source: Node, start: number): Node {
    const { stream } = this;
    const patterns = this.asPatterns();
    stream.expect('|', 'after the binding');
    const body = this.query();
    return { type: 'as', source, patterns, body, range: stream.range(start) };
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
  expression(minimum: number): Node {
    const { stream } = this;
    const { start } = stream.token;
    let left = stream.peekIs('-') || stream.peekIs('try') ? this.unary() : parseTerm(this);
    let unchainable = 0;
    for (;;) {
      const operator = this.operator(minimum);
      if (operator === null) return left;
      const { level, side } = precedences.get(operator)!;
      if (level === unchainable) stream.unexpected('operators of this kind cannot be chained');
      unchainable = side === 'none' ? level : 0;
      stream.next();
      stream.enter();
      const right = this.expression(side === 'right' ? level : level + 1);
      stream.leave();
      left = combine(operator, left, right, stream.range(start));
    }
  }

  /** The binary operator at the current place, if it binds at least as tightly as `minimum`. */
  private operator(minimum: number): string | null {
    const { type, text } = this.stream.token;
    if (type !== 'punctuation' && type !== 'keyword') return null;
    const found = precedences.get(text);
    return found === undefined || found.level < minimum ? null : text;
  }

  /** `-x`, `try`, or a term. */
  unary(): Node {
    const { stream } = this;
    const { start } = stream.token;
    if (stream.accept('-')) {
      stream.enter();
      const operand = this.unary();
      stream.leave();
      return { type: 'negate', operand, range: stream.range(start) };
    }
    if (stream.accept('try')) {
      stream.enter();
      const body = this.unary();
      const handler = stream.accept('catch') ? this.unary() : null;
      stream.leave();
      return { type: 'try', body, handler, accessOnly: false, range: stream.range(start) };
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
