import type { Arguments, BinaryOperator, CompareOperator, FilterCall, TemplateExpression } from './syntax.js';
import { TemplateError } from './template-error.js';
import type { ExpressionToken } from './tokens.js';

/** Deepest nesting of one expression. */
const maxDepth = 100;
const literals = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
const reserved = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);
const levels: readonly (readonly BinaryOperator[])[] = [['~'], ['+', '-'], ['*', '/', '//', '%']];

/** Reads the expressions of one tag, from the loosest binding (`a if b else c`) to the tightest. */
export class ExpressionParser {
  #at = 0;
  #depth = 0;

  constructor(
    readonly tokens: readonly ExpressionToken[],
    readonly line: number,
  ) {}

  get finished(): boolean {
    return this.#at >= this.tokens.length;
  }

  /** Fails when anything is left behind the tag's content. */
  end(): void {
    if (!this.finished) throw this.#unexpected();
  }

  expression(): TemplateExpression {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new TemplateError('the expression is nested too deeply', this.line);
    let value = this.#or();
    while (this.name('if')) {
      const test = this.#or();
      const choice: TemplateExpression = { type: 'choice', test, yes: value, line: this.line };
      if (this.name('else')) choice.no = this.expression();
      value = choice;
    }
    this.#depth -= 1;
    return value;
  }

  /** One expression, or several joined by commas as a list. */
  tuple(): TemplateExpression {
    const first = this.withoutChoice();
    if (!this.#peekOperator(',')) return first;
    const items = [first];
    while (this.operator(','))
      if (!this.finished && !this.#peekOperator('=')) items.push(this.withoutChoice());
    return { type: 'list', items };
  }

  /** An expression as a loop takes it: a trailing `if` belongs to the loop. */
  withoutChoice(): TemplateExpression {
    return this.#or();
  }

  identifier(): string {
    const token = this.tokens[this.#at];
    if (token?.type !== 'name' || reserved.has(token.text) || literals.has(token.text))
      throw this.#unexpected('a name');
    this.#at += 1;
    return token.text;
  }

  /** Takes the name when it is the next token. */
  name(text: string): boolean {
    const token = this.tokens[this.#at];
    if (token?.type !== 'name' || token.text !== text) return false;
    this.#at += 1;
    return true;
  }

  operator(text: string): boolean {
    if (!this.#peekOperator(text)) return false;
    this.#at += 1;
    return true;
  }

  expectName(text: string): void {
    if (!this.name(text)) throw this.#unexpected(`'${text}'`);
  }

  expectOperator(text: string): void {
    if (!this.operator(text)) throw this.#unexpected(`'${text}'`);
  }

  filters(): FilterCall[] {
    const filters: FilterCall[] = [];
    while (this.operator('|')) filters.push(this.filterCall());
    return filters;
  }

  filterCall(): FilterCall {
    const name = this.identifier();
    return {
      name,
      arguments: this.#peekOperator('(') ? this.arguments() : { positional: [], named: [] },
      line: this.line,
    };
  }

  arguments(): Arguments {
    this.expectOperator('(');
    const read: Arguments = { positional: [], named: [] };
    while (!this.operator(')')) {
      const token = this.tokens[this.#at];
      const next = this.tokens[this.#at + 1];
      if (token?.type === 'name' && next?.type === 'operator' && next.text === '=') {
        this.#at += 2;
        read.named.push({ name: token.text, value: this.expression() });
      } else if (read.named.length > 0)
        throw new TemplateError('a positional argument follows a named one', this.line);
      else read.positional.push(this.expression());
      if (!this.#peekOperator(')')) this.expectOperator(',');
    }
    return read;
  }

  #peekOperator(text: string): boolean {
    const token = this.tokens[this.#at];
    return token?.type === 'operator' && token.text === text;
  }

  #unexpected(wanted?: string): TemplateError {
    const token = this.tokens[this.#at];
    const found =
      token === undefined ? 'the end of the tag' : `'${token.type === 'number' ? token.value : token.text}'`;
    return new TemplateError(
      wanted === undefined ? `unexpected ${found}` : `expected ${wanted}, found ${found}`,
      token?.line ?? this.line,
    );
  }

  #or(): TemplateExpression {
    let left = this.#and();
    while (this.name('or')) left = { type: 'or', left, right: this.#and() };
    return left;
  }

  #and(): TemplateExpression {
    let left = this.#not();
    while (this.name('and')) left = { type: 'and', left, right: this.#not() };
    return left;
  }

  #not(): TemplateExpression {
    let negations = 0;
    while (this.name('not')) negations += 1;
    const value = this.#compare();
    if (negations === 0) return value;
    const once: TemplateExpression = { type: 'not', value, line: this.line };
    return negations % 2 === 1 ? once : { type: 'not', value: once, line: this.line };
  }

  #compare(): TemplateExpression {
    const first = this.#binary(0);
    const rest: { operator: CompareOperator; value: TemplateExpression }[] = [];
    for (let operator = this.#compareOperator(); operator !== undefined; operator = this.#compareOperator()) {
      rest.push({ operator, value: this.#binary(0) });
    }
    return rest.length === 0 ? first : { type: 'compare', first, rest, line: this.line };
  }

  #compareOperator(): CompareOperator | undefined {
    for (const operator of ['==', '!=', '<=', '>=', '<', '>'] as const)
      if (this.operator(operator)) return operator;
    if (this.name('in')) return 'in';
    const next = this.tokens[this.#at + 1];
    const token = this.tokens[this.#at];
    if (token?.type === 'name' && token.text === 'not' && next?.type === 'name' && next.text === 'in') {
      this.#at += 2;
      return 'not in';
    }
    return undefined;
  }

  #binary(level: number): TemplateExpression {
    const operators = levels[level];
    if (operators === undefined) return this.#power();
    let left = this.#binary(level + 1);
    for (let found = true; found; ) {
      found = false;
      for (const operator of operators) {
        if (this.operator(operator)) {
          left = { type: 'binary', operator, left, right: this.#binary(level + 1), line: this.line };
          found = true;
          break;
        }
      }
    }
    return left;
  }

  #power(): TemplateExpression {
    const left = this.#unary();
    if (!this.operator('**')) return left;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new TemplateError('the expression is nested too deeply', this.line);
    const right = this.#power();
    this.#depth -= 1;
    return { type: 'binary', operator: '**', left, right, line: this.line };
  }

  #unary(): TemplateExpression {
    let negative = false;
    let signed = false;
    for (;;) {
      if (this.operator('-')) negative = !negative;
      else if (!this.operator('+')) break;
      signed = true;
    }
    const value = this.#postfix();
    return signed ? { type: negative ? 'negative' : 'positive', value, line: this.line } : value;
  }

  #postfix(): TemplateExpression {
    let value = this.#primary();
    for (;;) {
      if (this.operator('.')) value = this.#field(value);
      else if (this.#peekOperator('[')) value = this.#subscript(value);
      else if (this.#peekOperator('('))
        value = { type: 'call', callee: value, arguments: this.arguments(), line: this.line };
      else if (this.operator('|')) value = { type: 'filtered', value, filter: this.filterCall() };
      else if (this.name('is')) value = this.#test(value);
      else return value;
    }
  }

  #field(object: TemplateExpression): TemplateExpression {
    const token = this.tokens[this.#at];
    if (token?.type === 'name') {
      this.#at += 1;
      return { type: 'field', object, name: token.text, line: this.line };
    }
    if (token?.type === 'number' && Number.isInteger(token.value)) {
      this.#at += 1;
      return { type: 'item', object, index: { type: 'literal', value: token.value }, line: this.line };
    }
    throw this.#unexpected('a field name');
  }

  #subscript(object: TemplateExpression): TemplateExpression {
    this.expectOperator('[');
    const start = this.#peekOperator(':') ? undefined : this.expression();
    if (start !== undefined && this.operator(']'))
      return { type: 'item', object, index: start, line: this.line };
    this.expectOperator(':');
    const part = () => (this.#peekOperator(':') || this.#peekOperator(']') ? undefined : this.expression());
    const stop = part();
    const step = this.operator(':') ? part() : undefined;
    this.expectOperator(']');
    return { type: 'slice', object, start, stop, step, line: this.line };
  }

  #test(value: TemplateExpression): TemplateExpression {
    const negated = this.name('not');
    const token = this.tokens[this.#at];
    if (token?.type !== 'name') throw this.#unexpected('the name of a test');
    this.#at += 1;
    let given: Arguments = { positional: [], named: [] };
    if (this.#peekOperator('(')) given = this.arguments();
    else if (this.#startsValue()) given = { positional: [this.#primary()], named: [] };
    return { type: 'test', value, name: token.text, arguments: given, negated, line: this.line };
  }

  #startsValue(): boolean {
    const token = this.tokens[this.#at];
    if (token === undefined) return false;
    if (token.type === 'operator') return token.text === '[' || token.text === '{';
    return token.type !== 'name' || !reserved.has(token.text);
  }

  #primary(): TemplateExpression {
    const token = this.tokens[this.#at];
    if (token === undefined) throw this.#unexpected('a value');
    if (token.type === 'number' || token.type === 'string') {
      this.#at += 1;
      if (token.type === 'number') return { type: 'literal', value: token.value };
      let text = token.text;
      for (let next = this.tokens[this.#at]; next?.type === 'string'; next = this.tokens[this.#at]) {
        text += next.text;
        this.#at += 1;
      }
      return { type: 'literal', value: text };
    }
    if (token.type === 'name') {
      if (reserved.has(token.text)) throw this.#unexpected('a value');
      this.#at += 1;
      const literal = literals.get(token.text);
      return literal === undefined
        ? { type: 'name', name: token.text, line: token.line }
        : { type: 'literal', value: literal };
    }
    if (this.operator('(')) return this.#parenthesis();
    if (this.operator('[')) return { type: 'list', items: this.#items(']') };
    if (this.operator('{')) return this.#dict();
    throw this.#unexpected('a value');
  }

  #parenthesis(): TemplateExpression {
    if (this.operator(')')) return { type: 'list', items: [] };
    const first = this.expression();
    if (this.operator(')')) return first;
    this.expectOperator(',');
    return { type: 'list', items: [first, ...this.#items(')')] };
  }

  #items(close: string): TemplateExpression[] {
    const items: TemplateExpression[] = [];
    while (!this.operator(close)) {
      items.push(this.expression());
      if (!this.#peekOperator(close)) this.expectOperator(',');
    }
    return items;
  }

  #dict(): TemplateExpression {
    const entries: { key: TemplateExpression; value: TemplateExpression }[] = [];
    while (!this.operator('}')) {
      const key = this.expression();
      this.expectOperator(':');
      entries.push({ key, value: this.expression() });
      if (!this.#peekOperator('}')) this.expectOperator(',');
    }
    return { type: 'dict', entries, line: this.line };
  }
}
