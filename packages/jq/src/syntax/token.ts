/** What a token is. `punctuation` covers operators and brackets, whose text tells them apart. */
export type TokenType =
  | 'identifier'
  | 'keyword'
  | 'field'
  | 'variable'
  | 'format'
  | 'number'
  | 'string'
  | 'punctuation'
  | 'end';

/** One piece of a string literal: plain text, or the tokens' source span of an interpolation. */
export type StringPart = { readonly text: string } | { readonly tokens: readonly Token[] };

export interface Token {
  readonly type: TokenType;
  /** Identifier, keyword, operator, or the name without its `.`, `$` or `@`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of a `string`; empty for the others. */
  readonly parts: readonly StringPart[];
}

export const keywords: ReadonlySet<string> = new Set([
  'def',
  'if',
  'then',
  'elif',
  'else',
  'end',
  'as',
  'reduce',
  'foreach',
  'try',
  'catch',
  'label',
  'import',
  'include',
  'module',
  'and',
  'or',
  '__loc__',
]);
