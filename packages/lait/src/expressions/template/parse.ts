import { createRequire } from 'node:module';
import { ExpressionSyntaxError } from '../syntax-error.js';
import type { Location, Place, Program } from './syntax.js';

interface ParserInstance {
  yy: object;
  lexer: Lexer;
  symbols_: Readonly<Record<string, number>>;
  parse(source: string): Program;
}

interface Lexer {
  yytext: string;
  match: string;
  lex(): number | undefined;
  less(length: number): void;
}

interface HandlebarsParser {
  parser: { Parser: new () => ParserInstance };
}

interface SyntaxFailure {
  text: string;
  token: string | null;
  expected?: readonly string[];
  loc?: { first_line: number; first_column: number; last_line: number; last_column: number };
  line: number;
}

let loaded: ((source: string) => Program) | undefined;

/**
 * Parses with the grammar of Handlebars, white space control included. Only its parser is loaded: templates are
 * compiled by `compile.ts`, so that values, missing paths and prototypes are treated as the seed says.
 * Throws an `ExpressionSyntaxError`.
 */
export function parseTemplate(source: string): Program {
  loaded ??= loadParser();
  return loaded(source);
}

function loadParser(): (source: string) => Program {
  const require = createRequire(import.meta.url);
  const { parser } = require('handlebars/dist/cjs/handlebars/compiler/base.js') as HandlebarsParser;
  const helpers = require('handlebars/dist/cjs/handlebars/compiler/helpers.js') as {
    SourceLocation: new (source: undefined, location: unknown) => Location;
  };
  const WhitespaceControl =
    require('handlebars/dist/cjs/handlebars/compiler/whitespace-control.js') as new () => {
      accept(program: Program): Program;
    };
  const Exception = require('handlebars/dist/cjs/handlebars/exception.js') as new () => HandlebarsException;
  return (source) => {
    const offsets = new Offsets(source);
    const instance = new parser.Parser();
    instance.lexer = indexingLexer(instance);
    instance.yy = {
      ...helpers,
      locInfo: (location: unknown) => new helpers.SourceLocation(undefined, location),
      parseError: (_message: string, failure: SyntaxFailure) => {
        throw syntaxError(source, failure, offsets);
      },
    };
    try {
      return new WhitespaceControl().accept(instance.parse(source));
    } catch (error) {
      throw error instanceof Exception ? fromException(error, offsets) : error;
    }
  };
}

/**
 * Reads `items.0` as the element 0, as people write it; the grammar alone knows a number at the end of a path only as
 * `items.[0]`.
 */
function indexingLexer({ lexer, symbols_: symbols }: ParserInstance): Lexer {
  let previous: number | undefined;
  return Object.assign(Object.create(lexer) as Lexer, {
    lex(this: Lexer): number | undefined {
      let token = lexer.lex.call(this);
      if (token === symbols.NUMBER && previous === symbols.SEP) {
        const point = this.match.indexOf('.');
        if (point !== -1) {
          const index = this.match.slice(0, point);
          this.less(point);
          this.yytext = index;
          this.match = index;
        }
        token = symbols.ID;
      }
      previous = token;
      return token;
    },
  });
}

interface HandlebarsException extends Error {
  lineNumber?: number;
  column?: number;
  endColumn?: number;
}

/** What the grammar's actions throw: a block closed by another name, `../` in the middle of a path. */
function fromException(error: HandlebarsException, offsets: Offsets): ExpressionSyntaxError {
  const { lineNumber = 1, column = 0, endColumn } = error;
  const start = offsets.at({ line: lineNumber, column });
  const message = error.message.replace(/ - \d+:\d+$/, '');
  const mismatch = /^(.*) doesn't match (.*)$/.exec(message);
  return new ExpressionSyntaxError(
    mismatch === null
      ? lowerFirst(message)
      : `the block {{#${mismatch[1]}}} is closed by {{/${mismatch[2]}}}`,
    start,
    endColumn === undefined || endColumn <= column ? start + 1 : start + endColumn - column,
  );
}

function syntaxError(source: string, failure: SyntaxFailure, offsets: Offsets): ExpressionSyntaxError {
  if (failure.token === null || failure.loc === undefined || failure.token === 'INVALID') {
    return atEnd(source, failure, offsets);
  }
  const { first_line, first_column, last_line, last_column } = failure.loc;
  const after = offsets.at({ line: last_line, column: last_column });
  const before = offsets.at({ line: first_line, column: first_column });
  if (failure.token === 'EOF') {
    const open = unclosedBlock(source);
    if (open !== undefined) {
      return new ExpressionSyntaxError(
        `the block ${open.text} is never closed`,
        open.start,
        open.start + open.text.length,
      );
    }
    return atEnd(source, failure, offsets);
  }
  const found = source.indexOf(failure.text, Math.max(before, after - failure.text.length));
  const start = found === -1 ? after : found;
  return new ExpressionSyntaxError(
    `unexpected '${failure.text.trim().slice(0, 40)}' in the template`,
    start,
    start + Math.max(1, failure.text.length),
  );
}

/** The text ended, or a character fits nowhere, inside `{{ … }}`: almost always a forgotten `}}`. */
function atEnd(source: string, failure: SyntaxFailure, offsets: Offsets): ExpressionSyntaxError {
  const line = failure.line + 1;
  const end = failure.token === 'EOF' ? source.length : offsets.at({ line: line + 1, column: 0 });
  const open = source.lastIndexOf('{{', end);
  if (open !== -1 && source.indexOf('}}', open) === -1) {
    return new ExpressionSyntaxError("'{{' is never closed: '}}' is missing", open, open + 2);
  }
  const start = open === -1 ? offsets.at({ line, column: 0 }) : open;
  return new ExpressionSyntaxError(
    'the template is malformed here',
    start,
    Math.min(source.length, start + 2),
  );
}

/** The last block that is opened and not closed. Only for the message, so a rough reading is enough. */
function unclosedBlock(source: string): { text: string; start: number } | undefined {
  const open: { name: string; text: string; start: number }[] = [];
  for (const match of source.matchAll(/\{\{~?([#^/])\s*([^\s}~]*)[^}]*\}\}/g)) {
    const [text, sign, name] = match;
    if (sign === '/') {
      const index = open.findLastIndex((block) => block.name === name);
      if (index !== -1) open.length = index;
    } else if (name !== '') open.push({ name: name!, text, start: match.index });
  }
  return open.at(-1);
}

function lowerFirst(text: string): string {
  return text === '' ? text : text[0]!.toLowerCase() + text.slice(1);
}

/** Turns the parser's lines and columns into character offsets. */
export class Offsets {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(source: string) {
    this.#length = source.length;
    for (const match of source.matchAll(/\r\n?|\n/g)) this.#starts.push(match.index + match[0].length);
  }

  at({ line, column }: Place): number {
    const start = this.#starts[line - 1];
    return start === undefined ? this.#length : Math.min(this.#length, start + column);
  }
}
