import { JqCompileError } from '../errors.js';
import type { Node } from './ast.js';
import type { Parser } from './parser.js';

/** Parses a term and its suffixes: `.name`, `."name"`, `[…]`, `?`. */
export function parseTerm(parser: Parser): Node {
  const { stream } = parser;
  const { start } = stream.token;
  // Round and square brackets nest most: they are opened here, without further stack frames.
  let term: Node;
  // Whether the term ends with an access: a `?` behind it belongs to the access alone.
  let isAccess = false;
  if (stream.peekIs('(') || stream.peekIs('[')) {
    const opened = stream.next().text;
    const body = opened === '[' && stream.peekIs(']') ? null : parser.query();
    closeBracket(parser, opened === '(' ? ')' : ']', start);
    term = opened === '(' ? body! : arrayNode(parser, body, start);
  } else {
    term = parsePrimary(parser);
    isAccess = term.type === 'index';
  }
  for (;;) {
    if (stream.token.type === 'field') {
      const token = stream.next();
      term = index(parser, term, literal(parser, token.text, token.start), start);
    } else if (stream.accept('.')) {
      if (stream.token.type === 'string') term = index(parser, term, parseString(parser, null), start);
      else if (stream.peekIs('[')) term = parseBracket(parser, term, start);
      else stream.unexpected("expecting a field name or '[' after '.'");
    } else if (stream.peekIs('[')) {
      term = parseBracket(parser, term, start);
    } else if (stream.accept('?')) {
      term = { type: 'try', body: term, handler: null, accessOnly: isAccess, range: stream.range(start) };
      isAccess = false;
      continue;
    } else return term;
    isAccess = true;
  }
}

function literal(parser: Parser, value: string, start: number): Node {
  return { type: 'literal', value, range: parser.stream.range(start) };
}

function index(parser: Parser, target: Node, key: Node, start: number): Node {
  return { type: 'index', target, key, range: parser.stream.range(start) };
}

/** `[]`, `[key]`, `[from:to]`, `[from:]` or `[:to]` after a term. */
function parseBracket(parser: Parser, target: Node, start: number): Node {
  const { stream } = parser;
  const opened = stream.next().start;
  if (stream.accept(']')) {
    return { type: 'iterate', target, range: stream.range(start) };
  }
  const from = stream.peekIs(':') ? null : parser.query();
  if (stream.accept(':')) {
    const to = stream.peekIs(']') && from !== null ? null : parser.query();
    closeBracket(parser, ']', opened);
    return { type: 'slice', target, from, to, range: stream.range(start) };
  }
  closeBracket(parser, ']', opened);
  return index(parser, target, from!, start);
}

function closeBracket(parser: Parser, bracket: string, opened: number): void {
  if (parser.stream.accept(bracket)) return;
  const { line, column } = parser.stream.map.range(opened, opened);
  parser.stream.expect(bracket, `to close the bracket of line ${line}, column ${column}`);
}

function parsePrimary(parser: Parser): Node {
  const { stream } = parser;
  const token = stream.token;
  const { start } = token;
  switch (token.type) {
    case 'number': {
      stream.next();
      // jq clamps what is too large for a double to the largest double.
      const value = Math.min(Number(token.text), Number.MAX_VALUE);
      return { type: 'literal', value, text: token.text, range: stream.range(start) };
    }
    case 'string':
      return parseString(parser, null);
    case 'format':
      stream.next();
      if (stream.token.type === 'string') return parseString(parser, token.text, start);
      return { type: 'format', name: token.text, range: stream.range(start) };
    case 'field':
      stream.next();
      return index(parser, identity(parser, start), literal(parser, token.text, start), start);
    case 'variable':
      stream.next();
      if (token.text === '__loc__') {
        const value = { file: '<top-level>', line: stream.range(start).line };
        return { type: 'literal', value, range: stream.range(start) };
      }
      return { type: 'variable', name: token.text, range: stream.range(start) };
    case 'identifier':
      return parseCall(parser);
    case 'keyword':
      return parseKeyword(parser, token.text, start);
    case 'punctuation':
      return parsePunctuation(parser, token.text, start);
    case 'end':
      return stream.unexpected();
  }
}

function arrayNode({ stream }: Parser, body: Node | null, start: number): Node {
  return { type: 'array', body, range: stream.range(start) };
}

function identity(parser: Parser, start: number): Node {
  return { type: 'identity', range: parser.stream.map.range(start, start + 1) };
}

function parsePunctuation(parser: Parser, text: string, start: number): Node {
  const { stream } = parser;
  switch (text) {
    case '.': {
      stream.next();
      if (stream.token.type !== 'string') return identity(parser, start);
      return index(parser, identity(parser, start), parseString(parser, null), start);
    }
    case '..':
      stream.next();
      return { type: 'recurse', range: stream.range(start) };
    case '{':
      return parser.object();
    default:
      return stream.unexpected();
  }
}

function parseKeyword(parser: Parser, text: string, start: number): Node {
  const { stream } = parser;
  switch (text) {
    case 'if':
      return parseIf(parser, start);
    case 'reduce':
    case 'foreach':
      return parseLoop(parser, text, start);
    case 'import':
    case 'include':
    case 'module': {
      const range = stream.range(start, stream.token.end);
      throw new JqCompileError('refused_feature', 'Modules are not supported', range);
    }
    case 'def':
    case 'label':
      return stream.unexpected(`put '${text} …' in parentheses to use it here`);
    default:
      return stream.unexpected();
  }
}

function parseIf(parser: Parser, start: number): Node {
  const { stream } = parser;
  const branches: { condition: Node; then: Node }[] = [];
  do {
    stream.next();
    const condition = parser.query();
    stream.expect('then', "after the condition of 'if'");
    const then = parser.query();
    branches.push({ condition, then });
  } while (stream.peekIs('elif'));
  const otherwise = stream.accept('else') ? parser.query() : null;
  stream.expect('end', `to close the 'if' of line ${stream.range(start).line}`);
  return { type: 'if', branches, otherwise, range: stream.range(start) };
}

function parseLoop(parser: Parser, type: 'reduce' | 'foreach', start: number): Node {
  const { stream } = parser;
  stream.next();
  const source = stream.nested(() => parser.expression(1));
  const patterns = parser.asPatterns();
  stream.expect('(', `to open the body of ${type}`);
  const init = parser.query();
  stream.expect(';', `between the parts of ${type}`);
  const update = parser.query();
  const extract = type === 'foreach' && stream.accept(';') ? parser.query() : null;
  stream.expect(')', `to close ${type}`);
  const range = stream.range(start);
  return type === 'reduce'
    ? { type, source, patterns, init, update, range }
    : { type, source, patterns, init, update, extract, range };
}

function parseCall(parser: Parser): Node {
  const { stream } = parser;
  const { text: name, start, end } = stream.next();
  if (name === 'break' && stream.token.type === 'variable') {
    return { type: 'break', name: parser.variableName('after break'), range: stream.range(start) };
  }
  const callArguments: Node[] = [];
  if (stream.accept('(')) {
    do callArguments.push(parser.query());
    while (stream.accept(';'));
    stream.expect(')', `to close the arguments of ${name}`);
  }
  if (callArguments.length === 0 && (name === 'true' || name === 'false' || name === 'null')) {
    const value = name === 'null' ? null : name === 'true';
    return { type: 'literal', value, range: stream.range(start, end) };
  }
  return { type: 'call', name, arguments: callArguments, range: stream.range(start) };
}

/** A string literal or template at the current token. */
export function parseString(parser: Parser, format: string | null, from?: number): Node {
  const { stream } = parser;
  const token = stream.next();
  const start = from ?? token.start;
  const parts = token.parts.map((part) =>
    'text' in part ? part.text : stream.inside(part.tokens, () => parser.query()),
  );
  const range = stream.range(start, token.end);
  if (parts.every((part) => typeof part === 'string')) {
    return { type: 'literal', value: parts.join(''), range };
  }
  return { type: 'template', format, parts, range };
}
