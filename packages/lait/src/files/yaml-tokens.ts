import { type CST, Lexer, Parser } from 'yaml';
import { LaitError } from '../errors/lait-error.js';

/** Deeper nesting is refused: no definition needs it, and it would overflow the stack of whoever walks it. */
export const deepestYaml = 200;
/** Pieces of YAML syntax in one file: bounds the time that a hostile 16 MiB file can take. */
const mostTokens = 1_000_000;
/** What the lexer puts before the text of a scalar that is not quoted. */
const scalarMark = '\u001f';

/** A text that is too much for the library; `offset` says where. Codes `too_complex`, `too_deep`. */
export class YamlBoundsError extends LaitError {
  declare readonly code: 'too_complex' | 'too_deep';

  constructor(
    code: 'too_complex' | 'too_deep',
    message: string,
    readonly offset: number,
  ) {
    super({ code, message, category: 'definition' });
  }
}

/**
 * The pieces of a YAML or JSON text, refused before they are composed when they are too many or too deep: the library
 * composes by recursion, and an overflow of the stack inside a regular expression ends the whole process. Call it
 * before `parseDocument`, too. Throws a `YamlBoundsError`.
 */
export function yamlTokens(text: string): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let offset = 0;
  let brackets = 0;
  let dashes = 0;
  let previous = '';
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    // What nests within a line is counted at once: putting a million of it into a tree takes seconds.
    if (previous !== scalarMark) {
      if (lexeme === '[' || lexeme === '{') brackets += 1;
      else if (lexeme === ']' || lexeme === '}') brackets -= 1;
      else if (lexeme === '-' || lexeme === '?') dashes += 1;
      else if (lexeme === '\n' || lexeme === '\r\n') dashes = 0;
    }
    if (brackets > deepestYaml || dashes > deepestYaml) throw tooDeepAt(offset);
    offset += lexeme.length;
    previous = lexeme;
    if (count > mostTokens) {
      const most = mostTokens.toLocaleString('en');
      throw new YamlBoundsError('too_complex', `the file holds more than ${most} pieces of YAML`, 0);
    }
    tokens.push(...parser.next(lexeme));
  }
  tokens.push(...parser.end());
  const tooDeep = findTooDeep(tokens);
  if (tooDeep === undefined) return tokens;
  throw tooDeepAt(tooDeep);
}

function tooDeepAt(offset: number): YamlBoundsError {
  return new YamlBoundsError('too_deep', `nested deeper than ${deepestYaml} levels`, offset);
}

type Tree = { offset?: number; items?: readonly { key?: unknown; value?: unknown }[]; value?: unknown };

/** Offset of the first token below the allowed depth. Without recursion: that is what it protects. */
function findTooDeep(tokens: readonly unknown[]): number | undefined {
  const open = tokens.map((token) => ({ token: token as Tree, depth: 1 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > deepestYaml) return token.offset ?? 0;
    const children = [token.value, ...(token.items ?? []).flatMap(({ key, value }) => [key, value])];
    for (const child of children) {
      if (typeof child === 'object' && child !== null) open.push({ token: child as Tree, depth: depth + 1 });
    }
  }
  return undefined;
}
