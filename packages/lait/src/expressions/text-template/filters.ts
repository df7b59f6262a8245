import { roundHalfEven } from './arithmetic.js';
import { argument, type Filter, flagArgument, numberArgument, textArgument } from './filter.js';
import { listFilters } from './filters-list.js';
import { formatText } from './format-text.js';
import { capitalize, strip, titleCase } from './members.js';
import {
  bounded,
  type CallArguments,
  defined,
  isNumeric,
  isTemplateObject,
  isTrue,
  joined,
  maxTextLength,
  representation,
  type TemplateValue,
  templateText,
  toJson,
  UndefinedValue,
} from './operations.js';
import { TemplateError } from './template-error.js';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  bounded(text.replace(/[&<>"']/g, (character) => escapes[character]!));
const escapeHtml: Filter = (value) => escaped(templateText(value));
const fallback: Filter = (value, call) => {
  const given = argument(call, 0, 'default_value');
  const replacement = given === undefined ? '' : given;
  if (value instanceof UndefinedValue) return replacement;
  return flagArgument(call, 1, 'boolean', false) && !isTrue(value) ? replacement : value;
};

const textFilters: readonly (readonly [string, Filter])[] = [
  ['default', fallback],
  ['d', fallback],
  ['upper', (value) => templateText(value).toUpperCase()],
  ['lower', (value) => templateText(value).toLowerCase()],
  ['capitalize', (value) => capitalize(templateText(value))],
  ['title', (value) => titleCase(templateText(value))],
  [
    'trim',
    (value, call) =>
      strip(
        templateText(value),
        call.positional.length === 0 ? undefined : textArgument(call, 0, 'chars', ''),
        true,
        true,
      ),
  ],
  ['string', (value) => templateText(value)],
  ['safe', (value) => value],
  ['escape', escapeHtml],
  ['e', escapeHtml],
  ['forceescape', escapeHtml],
  ['striptags', (value) => withoutTags(templateText(value)).replace(/\s+/g, ' ').trim()],
  ['format', (value, call) => formatText(templateText(value), call.positional)],
  [
    'replace',
    (value, call) =>
      replace(
        templateText(value),
        textArgument(call, 0, 'old', ''),
        textArgument(call, 1, 'new', ''),
        numberArgument(call, 2, 'count', -1),
      ),
  ],
  ['truncate', (value, call) => truncate(templateText(value), call)],
  [
    'center',
    (value, call) => {
      const text = templateText(value);
      const width = Math.min(numberArgument(call, 0, 'width', 80), 10_000);
      const space = Math.max(0, width - [...text].length);
      return ' '.repeat(Math.floor(space / 2)) + text + ' '.repeat(Math.ceil(space / 2));
    },
  ],
  ['indent', (value, call) => indent(templateText(value), call)],
  ['wordcount', (value) => (templateText(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length],
  ['wordwrap', (value, call) => wordWrap(templateText(value), numberArgument(call, 0, 'width', 79))],
  ['urlencode', urlEncode],
  ['filesizeformat', (value, call) => fileSize(number(value), flagArgument(call, 0, 'binary', false))],
  ['pprint', (value) => representation(value)],
  ['xmlattr', (value, call) => xmlAttributes(value, flagArgument(call, 0, 'autospace', true))],
  [
    'tojson',
    (value, call, tools) => {
      const given = argument(call, 0, 'indent');
      const spaces = typeof given === 'number' ? Math.min(Math.max(given, 0), 10) : 0;
      // Each part takes a character at least, and as many levels of white space as are above it at most.
      const { parts, depth } = tools.size(value);
      if (parts * (1 + spaces * depth) > 16 * maxTextLength)
        throw new TemplateError('a text grew beyond 1 MiB');
      return bounded(JSON.stringify(toJson(value), null, spaces));
    },
  ],
  ['abs', (value) => Math.abs(number(value))],
  [
    'int',
    (value, call) => {
      const read = toNumber(value);
      return Number.isFinite(read) ? Math.trunc(read) : numberArgument(call, 0, 'default', 0);
    },
  ],
  [
    'float',
    (value, call) => {
      const read = toNumber(value);
      return Number.isFinite(read) ? read : numberArgument(call, 0, 'default', 0);
    },
  ],
  [
    'round',
    (value, call) => {
      const digits = Math.min(Math.max(numberArgument(call, 0, 'precision', 0), -20), 20);
      const method = textArgument(call, 1, 'method', 'common');
      const scaled = number(value) * 10 ** digits;
      if (method === 'ceil') return Math.ceil(scaled) / 10 ** digits;
      if (method === 'floor') return Math.floor(scaled) / 10 ** digits;
      return roundHalfEven(number(value), digits);
    },
  ],
];

/** Every filter by name. */
export const templateFilters: ReadonlyMap<string, Filter> = new Map([...textFilters, ...listFilters]);

/** Without comments and tags. What no `>` ends is text, and is looked for once: not from each `<` on. */
function withoutTags(text: string): string {
  let kept = '';
  let from = 0;
  const lastComment = text.lastIndexOf('-->');
  const lastTag = text.lastIndexOf('>');
  for (let start = text.indexOf('<'); start >= 0 && start < lastTag; start = text.indexOf('<', from)) {
    kept += text.slice(from, start);
    const isComment = text.startsWith('<!--', start) && lastComment >= start + '<!--'.length;
    from = isComment
      ? text.indexOf('-->', start + '<!--'.length) + '-->'.length
      : text.indexOf('>', start) + 1;
  }
  return kept + text.slice(from);
}

/** A text, or the pairs of a dict as a query. */
function urlEncode(value: TemplateValue): string {
  const known = defined(value);
  if (!isTemplateObject(known)) {
    return bounded(encodeURIComponent(templateText(known).toWellFormed()).replaceAll('%2F', '/'));
  }
  const pairs = Object.entries(known).map(([key, entry]): [string, string] => [key, templateText(entry)]);
  return bounded(new URLSearchParams(pairs).toString());
}

function fileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  let size = bytes / base;
  const units = [...'kMGTPEZY'];
  while (size >= base && units.length > 1) {
    size /= base;
    units.shift();
  }
  return `${size.toFixed(1)} ${binary ? `${units[0]!.toUpperCase()}i` : units[0]}B`;
}

/** ` name="value"` for every entry of a dict that is neither none nor undefined. */
function xmlAttributes(value: TemplateValue, spaced: boolean): string {
  const known = defined(value);
  if (!isTemplateObject(known)) throw new TemplateError('xmlattr needs a dict');
  const texts = Object.entries(known).flatMap(([name, entry]) => {
    if (/[\s/>=]/.test(name)) throw new TemplateError(`'${name}' cannot name an attribute`);
    return entry === null ? [] : [`${escaped(name)}="${escaped(templateText(entry))}"`];
  });
  return (spaced && texts.length > 0 ? ' ' : '') + joined(texts, ' ');
}

function number(value: TemplateValue): number {
  const known = defined(value);
  if (!isNumeric(known)) throw new TemplateError('a number is needed');
  return Number(known);
}

function toNumber(value: TemplateValue): number {
  const known = defined(value);
  if (isNumeric(known)) return Number(known);
  return typeof known === 'string' && known.trim() !== '' ? Number(known) : Number.NaN;
}

function replace(text: string, old: string, replacement: string, count: number): string {
  if (old === '') throw new TemplateError('replace needs a text to look for');
  const parts = text.split(old);
  if (count < 0) return joined(parts, replacement);
  const changed = joined(parts.slice(0, count + 1), replacement);
  return parts.length > count + 1 ? joined([changed, ...parts.slice(count + 1)], old) : changed;
}

function truncate(text: string, call: CallArguments): string {
  const length = numberArgument(call, 0, 'length', 255);
  const cutWords = flagArgument(call, 1, 'killwords', false);
  const end = textArgument(call, 2, 'end', '...');
  const leeway = numberArgument(call, 3, 'leeway', 5);
  const characters = [...text];
  if (characters.length <= length + leeway) return text;
  const kept = characters.slice(0, Math.max(0, length - [...end].length)).join('');
  const space = kept.lastIndexOf(' ');
  return (cutWords || space < 0 ? kept : kept.slice(0, space)) + end;
}

function indent(text: string, call: CallArguments): string {
  const width = argument(call, 0, 'width');
  const space =
    typeof width === 'string'
      ? width
      : ' '.repeat(Math.min(Math.max(numberArgument(call, 0, 'width', 4), 0), 1000));
  const first = flagArgument(call, 1, 'first', false);
  const blank = flagArgument(call, 2, 'blank', false);
  const lines = text
    .split('\n')
    .map((line, at) => ((at === 0 && !first) || (at > 0 && line === '' && !blank) ? line : space + line));
  return joined(lines, '\n');
}

function wordWrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const rows: string[] = [];
      let row = '';
      for (const word of line.split(' ')) {
        if (row !== '' && row.length + 1 + word.length > width) {
          rows.push(row);
          row = word;
        } else row = row === '' ? word : `${row} ${word}`;
      }
      return [...rows, row].join('\n');
    })
    .join('\n');
}
