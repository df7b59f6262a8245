/** The parts of a parsed template that are compiled. The parser is that of Handlebars; these are its node types. */

export interface Place {
  /** Counts from 1. */
  line: number;
  /** Counts from 0. */
  column: number;
}

export interface Location {
  start: Place;
  end: Place;
}

export interface Program {
  type: 'Program';
  body: readonly Statement[];
  blockParams?: readonly string[];
}

export type Statement =
  | { type: 'ContentStatement'; value: string; loc: Location }
  | { type: 'CommentStatement'; loc: Location }
  | MustacheStatement
  | BlockStatement
  | {
      type: 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock';
      loc: Location;
    };

export interface Call {
  path: PathExpression | Literal;
  params: readonly TemplateExpression[];
  hash?: { pairs: readonly { key: string; value: TemplateExpression; loc: Location }[] };
  loc: Location;
}

export interface MustacheStatement extends Call {
  type: 'MustacheStatement';
  /** False for `{{{ x }}}` and `{{& x }}`. */
  escaped: boolean;
}

export interface BlockStatement extends Call {
  type: 'BlockStatement';
  program?: Program;
  inverse?: Program;
}

export interface SubExpression extends Call {
  type: 'SubExpression';
}

export type TemplateExpression = PathExpression | SubExpression | Literal;

export interface PathExpression {
  type: 'PathExpression';
  /** `@index` and the like. */
  data: boolean;
  /** How many `../` precede the path. */
  depth: number;
  parts: readonly string[];
  original: string;
  loc: Location;
}

export type Literal =
  | { type: 'StringLiteral'; value: string; original: string; loc: Location }
  | { type: 'NumberLiteral'; value: number; original: number; loc: Location }
  | { type: 'BooleanLiteral'; value: boolean; original: boolean; loc: Location }
  | { type: 'NullLiteral'; loc: Location }
  | { type: 'UndefinedLiteral'; loc: Location };
