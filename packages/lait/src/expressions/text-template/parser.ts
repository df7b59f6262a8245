import { ExpressionParser } from './expression-parser.js';
import type { TemplateNode } from './syntax.js';
import { TemplateError } from './template-error.js';
import { readTokens, type Token } from './tokens.js';

/** Deepest nesting of statements. */
const maxDepth = 50;
/** Statements of Jinja that would read other templates or run foreign code. */
const refused = new Set([
  'include',
  'extends',
  'import',
  'from',
  'block',
  'call',
  'do',
  'trans',
  'autoescape',
]);

/** Parses a template. Throws a `TemplateError` with the line of the first syntax error. */
export function parseTemplate(source: string): TemplateNode[] {
  const reader = new StatementReader(readTokens(source));
  const nodes = reader.body([], 0);
  return nodes;
}

class StatementReader {
  #at = 0;
  #ended = '';
  #endParser: ExpressionParser | undefined;

  constructor(readonly tokens: readonly Token[]) {}

  /** Reads up to one of the end words, which is consumed; the empty list reads to the end. */
  body(ends: readonly string[], depth: number, opened?: { word: string; line: number }): TemplateNode[] {
    if (depth > maxDepth)
      throw new TemplateError('statements are nested too deeply', this.tokens[this.#at]?.line);
    const nodes: TemplateNode[] = [];
    for (let token = this.tokens[this.#at]; token !== undefined; token = this.tokens[this.#at]) {
      this.#at += 1;
      if (token.type === 'text') {
        nodes.push({ type: 'text', text: token.text });
        continue;
      }
      const parser = new ExpressionParser(token.tokens, token.line);
      if (token.type === 'output') {
        const value = parser.expression();
        parser.end();
        nodes.push({ type: 'output', value, line: token.line });
        continue;
      }
      const word = token.tokens[0]?.type === 'name' ? token.tokens[0].text : '';
      if (ends.includes(word)) {
        parser.name(word);
        this.#ended = word;
        this.#endParser = parser;
        return nodes;
      }
      nodes.push(this.#statement(word, parser, token.line, depth));
    }
    if (opened !== undefined)
      throw new TemplateError(`'${opened.word}' is never closed by '${ends.at(-1)}'`, opened.line);
    return nodes;
  }

  #statement(word: string, parser: ExpressionParser, line: number, depth: number): TemplateNode {
    if (refused.has(word)) throw new TemplateError(`'${word}' is not supported: templates stand alone`, line);
    if (word !== '') parser.name(word);
    const inner = (...ends: string[]) => this.body(ends, depth + 1, { word, line });
    switch (word) {
      case 'if':
        return this.#if(parser, line, inner);
      case 'for':
        return this.#for(parser, line, inner);
      case 'set':
        return this.#set(parser, line, inner);
      case 'with': {
        const bindings: { name: string; value: ReturnType<ExpressionParser['expression']> }[] = [];
        while (!parser.finished) {
          const name = parser.identifier();
          parser.expectOperator('=');
          bindings.push({ name, value: parser.expression() });
          if (!parser.finished) parser.expectOperator(',');
        }
        return { type: 'with', bindings, body: inner('endwith'), line };
      }
      case 'filter': {
        const filters = [parser.filterCall(), ...parser.filters()];
        parser.end();
        return { type: 'filter', filters, body: inner('endfilter'), line };
      }
      case 'macro': {
        const name = parser.identifier();
        const parameters: { name: string; fallback?: ReturnType<ExpressionParser['expression']> }[] = [];
        parser.expectOperator('(');
        while (!parser.operator(')')) {
          const parameter = parser.identifier();
          parameters.push(
            parser.operator('=') ? { name: parameter, fallback: parser.expression() } : { name: parameter },
          );
          if (!parser.operator(',')) {
            parser.expectOperator(')');
            break;
          }
        }
        parser.end();
        return { type: 'macro', name, parameters, body: inner('endmacro'), line };
      }
      default:
        throw new TemplateError(
          word === '' ? 'a statement must start with a name' : `unknown statement '${word}'`,
          line,
        );
    }
  }

  #if(parser: ExpressionParser, line: number, inner: (...ends: string[]) => TemplateNode[]): TemplateNode {
    let test = parser.expression();
    parser.end();
    const branches: { test: typeof test; body: TemplateNode[] }[] = [];
    for (;;) {
      branches.push({ test, body: inner('elif', 'else', 'endif') });
      if (this.#ended !== 'elif') break;
      test = this.#endParser!.expression();
      this.#endParser!.end();
    }
    return { type: 'if', branches, otherwise: this.#ended === 'else' ? inner('endif') : [], line };
  }

  #for(parser: ExpressionParser, line: number, inner: (...ends: string[]) => TemplateNode[]): TemplateNode {
    const targets = this.#targets(parser);
    parser.expectName('in');
    const items = parser.withoutChoice();
    const test = parser.name('if') ? parser.expression() : undefined;
    parser.end();
    const body = inner('else', 'endfor');
    return {
      type: 'for',
      targets,
      items,
      test,
      body,
      otherwise: this.#ended === 'else' ? inner('endfor') : [],
      line,
    };
  }

  #set(parser: ExpressionParser, line: number, inner: (...ends: string[]) => TemplateNode[]): TemplateNode {
    const targets = this.#targets(parser);
    const field = targets.length === 1 && parser.operator('.') ? parser.identifier() : undefined;
    if (parser.operator('=')) {
      const value = parser.tuple();
      const rest = parser.name('if') ? { test: parser.expression() } : undefined;
      const no = rest !== undefined && parser.name('else') ? parser.expression() : undefined;
      parser.end();
      return {
        type: 'set',
        targets,
        field,
        value: rest === undefined ? value : { type: 'choice', test: rest.test, yes: value, no, line },
        line,
      };
    }
    const filters = parser.filters();
    parser.end();
    if (targets.length !== 1 || field !== undefined)
      throw new TemplateError("a 'set' block fills one variable", line);
    return { type: 'set_block', target: targets[0]!, filters, body: inner('endset'), line };
  }

  #targets(parser: ExpressionParser): string[] {
    const parenthesis = parser.operator('(');
    const targets = [parser.identifier()];
    while (parser.operator(',')) targets.push(parser.identifier());
    if (parenthesis) parser.expectOperator(')');
    return targets;
  }
}
