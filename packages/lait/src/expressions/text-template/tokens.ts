import { TemplateError } from './template-error.js';

export type Token =
  | { type: 'text'; text: string; line: number }
  | { type: 'output' | 'statement'; tokens: ExpressionToken[]; line: number };

export type ExpressionToken =
  | { type: 'name'; text: string; line: number }
  | { type: 'string'; text: string; line: number }
  | { type: 'number'; value: number; line: number }
  | { type: 'operator'; text: string; line: number };

const opening = /\{\{|\{%|\{#/g;
const closing = { '{{': '}}', '{%': '%}', '{#': '#}' } as const;
const rawStart = /^\{%[-+]?\s*raw\s*-?%\}/;
const rawEnd = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/**
 * Splits a template into text, outputs and statements. `-` inside a tag removes the white space beside it, comments
 * disappear, `raw` keeps its content as it is, and one line break at the very end is dropped, as users of Jinja know it.
 */
export function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  const template = source.replace(/\r?\n$/, '');
  let at = 0;
  let line = 1;
  let stripNext = false;
  const pushText = (text: string, stripEnd: boolean) => {
    let shown = stripNext ? text.trimStart() : text;
    if (stripEnd) shown = shown.trimEnd();
    if (shown !== '') tokens.push({ type: 'text', text: shown, line });
    line += countLines(text);
  };
  while (at < template.length) {
    opening.lastIndex = at;
    const match = opening.exec(template);
    if (match === null) {
      pushText(template.slice(at), false);
      break;
    }
    const open = match[0] as keyof typeof closing;
    const bodyStart = match.index + 2;
    pushText(template.slice(at, match.index), template[bodyStart] === '-');
    stripNext = false;
    const raw = rawStart.exec(template.slice(match.index));
    if (raw !== null) {
      rawEnd.lastIndex = match.index + raw[0].length;
      const end = rawEnd.exec(template);
      if (end === null) throw new TemplateError("'raw' is never closed by 'endraw'", line);
      stripNext = raw[0].endsWith('-%}');
      pushText(template.slice(match.index + raw[0].length, end.index), end[1] === '-');
      stripNext = end[2] === '-';
      at = rawEnd.lastIndex;
      continue;
    }
    const tagLine = line;
    const end =
      open === '{#'
        ? template.indexOf('#}', bodyStart)
        : endOfTag(template, bodyStart, closing[open], tagLine);
    if (end < 0) throw new TemplateError(`'${open}' is never closed by '${closing[open]}'`, tagLine);
    let body = template.slice(bodyStart, end);
    line += countLines(body);
    if (body.startsWith('-') || body.startsWith('+')) body = body.slice(1);
    if (body.endsWith('-')) stripNext = true;
    if (body.endsWith('-') || (body.endsWith('+') && open === '{%')) body = body.slice(0, -1);
    if (open !== '{#') {
      const type = open === '{{' ? 'output' : 'statement';
      tokens.push({ type, tokens: readExpressionTokens(body, tagLine), line: tagLine });
    }
    at = end + 2;
  }
  return tokens;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The closing mark that is not inside a string of the tag. Braces of a dict literal may stand before `}}`. */
function endOfTag(template: string, start: number, close: string, line: number): number {
  let depth = 0;
  for (let at = start; at < template.length; at += 1) {
    const character = template[at]!;
    if (character === '"' || character === "'") {
      at = endOfString(template, at);
      if (at < 0) throw new TemplateError('a string is never closed', line);
    } else if (template.startsWith(close, at) && depth === 0) return at;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
  }
  return -1;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === text[start]) return at;
  }
  return -1;
}

const tokenForm =
  /\s+|([\p{ID_Start}_]\p{ID_Continue}*)|((?:\d[\d_]*\.\d+|\d[\d_]*)(?:[eE][+-]?\d+)?)|("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(\/\/|\*\*|==|!=|<=|>=|[-+*/%~<>()[\]{}.,:|=])/uy;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

function readExpressionTokens(source: string, startLine: number): ExpressionToken[] {
  const tokens: ExpressionToken[] = [];
  let line = startLine;
  tokenForm.lastIndex = 0;
  while (tokenForm.lastIndex < source.length) {
    const at = tokenForm.lastIndex;
    const match = tokenForm.exec(source);
    if (match === null) throw new TemplateError(`unexpected '${[...source.slice(at)][0]}'`, line);
    const [all, name, number, string, operator] = match;
    if (name !== undefined) tokens.push({ type: 'name', text: name, line });
    else if (number !== undefined)
      tokens.push({ type: 'number', value: Number(number.replaceAll('_', '')), line });
    else if (string !== undefined)
      tokens.push({ type: 'string', text: decodeEscapes(string.slice(1, -1)), line });
    else if (operator !== undefined) tokens.push({ type: 'operator', text: operator, line });
    line += countLines(all);
  }
  return tokens;
}

function decodeEscapes(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (_, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (code === '\n') return '';
    return Object.hasOwn(escapes, code) ? escapes[code]! : /[\\'"]/.test(code) ? code : `\\${code}`;
  });
}
