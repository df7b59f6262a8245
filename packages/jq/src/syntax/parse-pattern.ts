import type { Node, Pattern, PatternEntry } from './ast.js';
import { parseKeyExpression } from './parse-object.js';
import { parseString } from './parse-term.js';
import type { Parser } from './parser.js';

/** Parses `PATTERN ?// PATTERN …`. */
export function parsePatterns(parser: Parser): Pattern[] {
  const patterns = [parsePattern(parser)];
  while (parser.stream.accept('?//')) patterns.push(parsePattern(parser));
  return patterns;
}

function parsePattern(parser: Parser): Pattern {
  const { stream } = parser;
  const { token } = stream;
  const { start } = token;
  if (token.type === 'variable') {
    stream.next();
    return { type: 'variable', name: token.text, range: stream.range(start) };
  }
  if (stream.accept('[')) {
    const items = list(parser, ']', () => parsePattern(parser));
    return { type: 'array', items, range: stream.range(start) };
  }
  if (stream.accept('{')) {
    const entries = list(parser, '}', () => parseEntry(parser));
    return { type: 'object', entries, range: stream.range(start) };
  }
  return stream.unexpected("expecting a $name, '[' or '{'");
}

function list<T>(parser: Parser, close: string, parseItem: () => T): T[] {
  const { stream } = parser;
  const items: T[] = [];
  do items.push(stream.nested(parseItem));
  while (stream.accept(','));
  stream.expect(close, 'to close the pattern');
  return items;
}

function parseEntry(parser: Parser): PatternEntry {
  const { stream } = parser;
  const { token } = stream;
  const { start } = token;
  if (token.type === 'variable') {
    stream.next();
    const key: Node = { type: 'literal', value: token.text, range: stream.range(start) };
    return { key, variable: token.text, pattern: stream.accept(':') ? parsePattern(parser) : null };
  }
  let key: Node;
  if (token.type === 'identifier' || token.type === 'keyword') {
    stream.next();
    key = { type: 'literal', value: token.text, range: stream.range(start) };
  } else if (token.type === 'string' || token.type === 'format') {
    if (token.type === 'format') stream.next();
    if (stream.token.type !== 'string') stream.unexpected('expecting a string as pattern key');
    key = parseString(parser, token.type === 'format' ? token.text : null, start);
  } else if (stream.peekIs('(')) key = parseKeyExpression(parser);
  else return stream.unexpected('expecting a pattern key');
  stream.expect(':', 'after the pattern key');
  return { key, variable: null, pattern: parsePattern(parser) };
}
