import { typeName } from '../values/json.js';
import type { Node, ObjectEntry } from './ast.js';
import { parseString } from './parse-term.js';
import type { Parser } from './parser.js';

/** Parses `{…}`. A trailing comma is allowed, as in jq 1.8. */
export function parseObject(parser: Parser): Node {
  const { stream } = parser;
  const { start } = stream.next();
  const entries: ObjectEntry[] = [];
  while (!stream.accept('}')) {
    entries.push(parseEntry(parser));
    if (stream.accept(',') || stream.peekIs('}')) continue;
    stream.unexpected(`expecting '}' to close the object of line ${stream.range(start).line}`);
  }
  return { type: 'object', entries, range: stream.range(start) };
}

function parseEntry(parser: Parser): ObjectEntry {
  const { stream } = parser;
  const token = stream.token;
  const { start, text } = token;
  if (token.type === 'variable') {
    stream.next();
    if (text === '__loc__') {
      const { line } = stream.range(start);
      const value: Node = {
        type: 'literal',
        value: { file: '<top-level>', line },
        range: stream.range(start),
      };
      return { key: { type: 'literal', value: text, range: stream.range(start) }, value };
    }
    const variable: Node = { type: 'variable', name: text, range: stream.range(start) };
    if (stream.accept(':')) return { key: variable, value: parseValue(parser) };
    return { key: { type: 'literal', value: text, range: stream.range(start) }, value: variable };
  }
  if (token.type === 'identifier' || token.type === 'keyword') {
    stream.next();
    const key: Node = { type: 'literal', value: text, range: stream.range(start) };
    return { key, value: stream.accept(':') ? parseValue(parser) : null };
  }
  if (token.type === 'string' || token.type === 'format') {
    if (token.type === 'format') stream.next();
    if (stream.token.type !== 'string') stream.unexpected('expecting a string as object key');
    const key = parseString(parser, token.type === 'format' ? text : null, start);
    return { key, value: stream.accept(':') ? parseValue(parser) : null };
  }
  if (!stream.peekIs('(')) {
    if (token.type === 'number') stream.unexpected('object keys are names, strings or (expressions)');
    stream.unexpected('expecting an object key');
  }
  const key = parseKeyExpression(parser);
  stream.expect(':', 'after the object key expression');
  return { key, value: parseValue(parser) };
}

/** `(expression)` as a key; a constant that is not a string can never work. */
export function parseKeyExpression(parser: Parser): Node {
  const { stream } = parser;
  stream.next();
  const key = parser.query();
  stream.expect(')', 'to close the object key expression');
  if (key.type === 'literal' && typeof key.value !== 'string') {
    const shown = `${typeName(key.value)} (${JSON.stringify(key.value)})`;
    stream.fail(`Cannot use ${shown} as object key`, key.range);
  }
  return key;
}

/** The value of an entry: everything but `,`, which separates entries. */
function parseValue(parser: Parser): Node {
  const { stream } = parser;
  const { start } = stream.token;
  const stages = [stream.nested(() => parser.expression(1))];
  while (stream.accept('|')) stages.push(stream.nested(() => parser.expression(1)));
  if (stages.length === 1) return stages[0]!;
  return { type: 'pipe', stages, range: stream.range(start) };
}
