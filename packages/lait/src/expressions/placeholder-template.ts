import { StepError } from '../errors/errors.js';
import { jsonText } from '../values/text.js';
import type { Value } from '../values/value.js';
import {
  type DynamicRoot,
  dynamicRoots,
  isDynamicRoot,
  readContext,
  readRoot,
  referenceTo,
} from './dynamic-root.js';
import type { Expression, Reference } from './expression.js';
import { absent, broken, lookUp, type PathSegments, splitPath } from './path.js';
import type { Scope } from './scope.js';

/** One `${…}` of a template. */
export interface Placeholder {
  /** With its braces. */
  text: string;
  /** Counts from 1. */
  number: number;
  root: DynamicRoot;
  /** What stands behind the root's dot, as written. */
  path: string;
  /** Of `stepResults`: the id; of `requestContext`: the whole flat key. */
  key?: string;
  segments: PathSegments;
  start: number;
  end: number;
}

export interface ParsedTemplate {
  source: string;
  /** Literal texts and placeholders by turns. */
  parts: readonly (string | Placeholder)[];
  placeholders: readonly Placeholder[];
}

/** A template that cannot be parsed: says which placeholder is wrong and how to write it. */
export class TemplateSyntaxError extends Error {}

/**
 * Parses a template. There are no escapes, an unclosed `${` is literal, and a placeholder ends at the first `}`.
 * Throws a `TemplateSyntaxError` for the first placeholder that is wrong. Source: dynamic facts §2.2.
 */
export function parsePlaceholderTemplate(source: string): ParsedTemplate {
  const parts: (string | Placeholder)[] = [];
  const placeholders: Placeholder[] = [];
  let position = 0;
  for (;;) {
    const start = source.indexOf('${', position);
    const close = start < 0 ? -1 : source.indexOf('}', start);
    if (close < 0) break;
    if (start > position) parts.push(source.slice(position, start));
    const placeholder = parsePlaceholder(source, start, close + 1, placeholders.length + 1);
    parts.push(placeholder);
    placeholders.push(placeholder);
    position = close + 1;
  }
  if (position < source.length) parts.push(source.slice(position));
  return { source, parts, placeholders };
}

function parsePlaceholder(source: string, start: number, end: number, number: number): Placeholder {
  const text = source.slice(start, end);
  const body = text.slice(2, -1);
  const fail = (problem: string): never => {
    throw new TemplateSyntaxError(`${describe({ number, text }, source)} ${problem}`);
  };
  if (body === '' || body.trim() !== body) {
    fail('has empty or whitespace-padded contents. Use ${<scope>.<path>} with no surrounding whitespace.');
  }
  const dot = body.indexOf('.');
  const root = dot < 0 ? body : body.slice(0, dot);
  const path = dot < 0 ? '' : body.slice(dot + 1);
  if (!isDynamicRoot(root)) {
    const known = Object.keys(dynamicRoots).join(', ');
    return fail(`references unknown namespace "${root}". Use one of: ${known}.`);
  }
  const common = { text, number, root, path, start, end };
  if (root === 'requestContext') {
    if (path === '') fail('requires a request-context key — use ${requestContext.<key>}.');
    return { ...common, key: path, segments: [] };
  }
  if (root !== 'stepResults') return { ...common, segments: splitPath(path) };
  const idEnd = path.indexOf('.');
  const id = idEnd < 0 ? path : path.slice(0, idEnd);
  if (id === '') fail('must be of the form ${stepResults.<stepId>} or ${stepResults.<stepId>.<path>}.');
  const rest = idEnd < 0 ? '' : path.slice(idEnd + 1);
  return { ...common, path: rest, key: id, segments: splitPath(rest) };
}

/**
 * Compiles a parsed template to one closure. Values are put in as they are and never expanded again. Evaluating
 * throws a `StepError` (code `invalid_path` or `missing_step_result`) that names the placeholder.
 */
export function compilePlaceholderTemplate(template: ParsedTemplate): Expression<string> {
  const renders = template.parts.map((part) =>
    typeof part === 'string' ? () => part : compilePlaceholder(part, template.source),
  );
  return {
    language: 'template',
    source: template.source,
    references: template.placeholders.map(toReference),
    evaluate: (scope) => {
      let text = '';
      for (const render of renders) text += render(scope);
      return text;
    },
  };
}

function toReference({ root, key, segments, start, end }: Placeholder): Reference {
  return referenceTo(root, key === undefined ? segments : [key, ...segments], { start, end });
}

function compilePlaceholder(placeholder: Placeholder, source: string): (scope: Scope) => string {
  const { root, segments, path, key } = placeholder;
  if (root === 'requestContext') return (scope) => render(readContext(key!, scope));
  const follow = (value: Value): string => {
    const found = lookUp(value, segments);
    if (found === broken) {
      const message = `Invalid path ${path} in ${describe(placeholder, source)}`;
      throw new StepError({ code: 'invalid_path', message });
    }
    return found === absent ? '' : render(found);
  };
  if (root !== 'stepResults') return (scope) => follow(readRoot(root, scope));
  return (scope) => {
    const result = scope.step(key!);
    if (result !== undefined && result !== null) return follow(result);
    throw new StepError({
      code: 'missing_step_result',
      message:
        `${describe(placeholder, source)} references stepResults.${key} but step "${key}" has no successful output ` +
        '(not run yet, not registered, failed, or produced no output).',
    });
  };
}

/** Texts as they are, nothing for null and absent values, compact JSON for objects and arrays. */
function render(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Long templates are shown in part: an error message is no place for a megabyte. */
function describe({ number, text }: { number: number; text: string }, source: string): string {
  return `Template placeholder #${number} (${shorten(text)}) in '${shorten(source)}'`;
}

function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499)}…`;
}
