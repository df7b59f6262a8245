import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isScalar,
  isSeq,
  type ParsedNode,
  type Scalar,
} from 'yaml';
import { deepestYaml, YamlBoundsError, yamlTokens } from '../../files/yaml-tokens.js';
import type { Problems, TextRange } from '../../plan/problems.js';
import { findJsonProblem } from '../../values/json-problem.js';
import { readJson } from './read-json.js';
import type { MapEntry, MapNode, ScalarStyle, SourceNode } from './source-node.js';
import { shorten } from './source-node.js';

/** Values that aliases may add to those that are written out. */
const mostAliasedValues = 100_000;

/**
 * Reads YAML 1.2 (core schema), JSON included, into nodes with places. Everything that is wrong is added to
 * `problems`; the result is undefined when nothing can be used.
 *
 * @param text what to read instead of the whole source; places in it are places in the source
 * @param emptyHint what a file of this sort holds at least
 */
export function readYaml(
  problems: Problems,
  text = problems.source.text,
  emptyHint?: string,
): SourceNode | undefined {
  if (!checkCharacters(text, problems)) return undefined;
  const json = readJson(text);
  if (json !== undefined) return json;
  const document = compose(text, problems);
  if (document === undefined) return undefined;
  if (document.contents === null) {
    problems.add({
      code: 'empty_file',
      message: 'the file is empty',
      hint: emptyHint,
      range: { start: 0, end: 0 },
    });
    return undefined;
  }
  const root = new Converter(text, problems).convert(document.contents as ParsedNode);
  return problems.errors > 0 ? undefined : root;
}

/** Whoever writes JSON is not helped by how YAML would have it. */
function isMeantAsJson(file: string, text: string): boolean {
  return /^\s*[{[]/.test(text) && !/\.(ya?ml|md)$/i.test(file);
}

function checkCharacters(text: string, problems: Problems): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that YAML forbids
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text);
  if (found === null) return true;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  problems.add({
    code: 'control_character',
    message: `the file holds the control character U+${code}${code === '0000' ? ' (NUL): it is damaged, binary, or not UTF-8' : ''}`,
    range: { start: found.index, end: found.index + 1 },
  });
  return false;
}

function compose(text: string, problems: Problems): Document.Parsed | undefined {
  const tokens = tokenize(text, problems);
  if (tokens === undefined) return undefined;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    strict: true,
    stringKeys: false,
    // Compared pair by pair in the library: a mapping with many keys would take forever.
    uniqueKeys: false,
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return undefined;
  const { file } = problems.source;
  const inJson = document.errors.length > 0 && isMeantAsJson(file, text) ? findJsonProblem(text) : undefined;
  if (inJson !== undefined) {
    const { offset, message } = inJson;
    problems.add({ code: 'json_syntax', message, range: { start: offset, end: offset + 1 } });
    return undefined;
  }
  for (const { code, message, pos } of document.errors) {
    const range = { start: pos[0], end: pos[1] };
    if (code === 'TAB_AS_INDENT') {
      problems.add({ code: 'yaml_tab', message: 'a tab cannot indent YAML: use spaces', range });
    } else {
      problems.add({ code: 'yaml_syntax', message: lowerFirst(message), hint: repairs[code], range });
    }
  }
  for (const { code, message, pos } of document.warnings) {
    const range = { start: pos[0], end: pos[1] };
    if (code === 'TAG_RESOLVE_FAILED') {
      problems.add({
        code: 'yaml_tag',
        message: `unknown tag ${shorten(text.slice(pos[0], pos[1]))}: remove it`,
        hint: 'text that starts with `!` must be in quotes',
        range,
      });
    } else {
      problems.add({ code: 'yaml_syntax', message: lowerFirst(message), range });
    }
  }
  if (second !== undefined) {
    const [start] = second.range;
    problems.add({
      code: 'yaml_documents',
      message: 'a file holds one document: remove `---` and what follows',
      range: { start, end: start + 3 },
    });
  }
  return problems.errors > 0 ? undefined : document;
}

/** What usually helps, by the library's code. */
const repairs: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'text that holds `: ` must be in quotes; otherwise check the indentation of the next line',
  BAD_SCALAR_START: 'put the text in quotes',
  MISSING_CHAR: 'something is opened before and never closed',
  MULTILINE_IMPLICIT_KEY: 'check the indentation: keys of one mapping stand in one column',
  BAD_INDENT: 'check the indentation: keys of one mapping stand in one column',
};

/** The pieces of the text, or undefined when they are too many or too deep. */
function tokenize(text: string, problems: Problems): ReturnType<typeof yamlTokens> | undefined {
  try {
    return yamlTokens(text);
  } catch (error) {
    if (!(error instanceof YamlBoundsError)) throw error;
    const { code, message, offset } = error;
    problems.add({ code, message, range: { start: offset, end: code === 'too_deep' ? offset + 1 : offset } });
    return undefined;
  }
}

function lowerFirst(message: string): string {
  const first = message.split('\n', 1)[0]!;
  return /^[A-Z][a-z]/.test(first) ? first[0]!.toLowerCase() + first.slice(1) : first;
}

const styles: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/** Turns the library's nodes into ours: aliases resolved and bounded, duplicate keys and broken text found. */
class Converter {
  readonly #anchors = new Map<string, SourceNode | 'open'>();
  /** Values in and levels below a node, with its aliases counted out in full. */
  readonly #extents = new Map<SourceNode, { size: number; levels: number }>();
  #aliased = 0;
  #level = 0;

  constructor(
    readonly text: string,
    readonly problems: Problems,
  ) {}

  convert(node: ParsedNode): SourceNode {
    if (isAlias(node)) return this.#alias(node);
    const anchor = node.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const converted = this.#convertOwn(node);
    if (anchor !== undefined) this.#anchors.set(anchor, converted);
    return converted;
  }

  #convertOwn(node: Exclude<ParsedNode, Alias.Parsed>): SourceNode {
    if (isScalar(node)) return this.#scalar(node);
    const range = rangeOf(node);
    this.#level += 1;
    const converted: SourceNode = isSeq(node)
      ? { type: 'list', range, items: node.items.map((item) => this.convert(item as ParsedNode)) }
      : this.#map(node.items as { key: ParsedNode; value: ParsedNode | null }[], range);
    this.#level -= 1;
    const extent = { size: 1, levels: 1 };
    const children =
      converted.type === 'list' ? converted.items : [...converted.entries.values()].map(({ value }) => value);
    for (const child of children) {
      const { size, levels } = this.#extentOf(child);
      extent.size += size;
      extent.levels = Math.max(extent.levels, levels + 1);
    }
    this.#extents.set(converted, extent);
    return converted;
  }

  #extentOf(node: SourceNode): { size: number; levels: number } {
    return this.#extents.get(node) ?? { size: 1, levels: 0 };
  }

  #alias(node: Alias.Parsed): SourceNode {
    const range = rangeOf(node);
    const target = this.#anchors.get(node.source);
    if (target === undefined || target === 'open') {
      this.problems.add({
        code: 'yaml_alias',
        message:
          target === undefined
            ? `the alias *${node.source} has no anchor &${node.source} before it`
            : `the alias *${node.source} lies inside its own anchor: a value cannot contain itself`,
        range,
      });
      return { type: 'scalar', value: null, written: '', style: 'plain', range };
    }
    const { size, levels } = this.#extentOf(target);
    if (this.#level + levels > deepestYaml) {
      const message = `the alias *${node.source} leads deeper than ${deepestYaml} levels`;
      this.problems.add({ code: 'too_deep', message, range });
    }
    const before = this.#aliased;
    this.#aliased += size;
    if (before <= mostAliasedValues && this.#aliased > mostAliasedValues) {
      const message = `aliases repeat more than ${mostAliasedValues.toLocaleString('en')} values`;
      this.problems.add({ code: 'yaml_alias', message, range });
    }
    return target;
  }

  #map(items: readonly { key: ParsedNode; value: ParsedNode | null }[], range: TextRange): MapNode {
    const entries = new Map<string, MapEntry>();
    for (const { key: keyNode, value: valueNode } of items) {
      const keyRange = rangeOf(keyNode);
      const key = this.#key(keyNode);
      const value: SourceNode =
        valueNode === null
          ? { type: 'scalar', value: null, written: '', style: 'plain', range: keyRange }
          : this.convert(valueNode);
      if (key === undefined) continue;
      const first = entries.get(key);
      if (first !== undefined) {
        const line = this.problems.position(first.keyRange)?.line;
        this.problems.add({
          code: 'duplicate_key',
          message: `the key '${shorten(key)}' is already given in line ${line}: each key may appear once`,
          range: keyRange,
        });
        continue;
      }
      entries.set(key, { key, keyRange, value });
    }
    return { type: 'map', range, entries };
  }

  #key(node: ParsedNode): string | undefined {
    const key = this.convert(node);
    if (key.type !== 'scalar') {
      const written = this.text.slice(key.range?.start, key.range?.end);
      const hint = written.startsWith('{')
        ? 'a text that starts with a placeholder must be in quotes: "{{ input }}"'
        : undefined;
      this.problems.add({ code: 'yaml_key', message: 'a key must be text', hint, range: rangeOf(node) });
      return undefined;
    }
    const text = typeof key.value === 'string' ? key.value : key.written;
    if (text === '<<' && key.style === 'plain') {
      this.problems.add({
        code: 'yaml_merge',
        message: 'merge keys (`<<`) are not part of YAML 1.2: write the fields out, or alias the whole value',
        range: rangeOf(node),
      });
      return undefined;
    }
    return text;
  }

  #scalar(node: Scalar.Parsed): SourceNode {
    const range = rangeOf(node);
    const value = node.value as unknown;
    const written = node.source ?? this.text.slice(range.start, range.end);
    const style = styles[node.type ?? ''] ?? 'plain';
    if (typeof value === 'string') {
      if (!value.isWellFormed()) {
        this.problems.add({
          code: 'lone_surrogate',
          message: 'the text holds half of a character (a lone surrogate such as \\ud800): it is damaged',
          range,
        });
      }
      return { type: 'scalar', value, written: value, style, range };
    }
    if (value === null || typeof value === 'boolean') return { type: 'scalar', value, written, style, range };
    if (typeof value === 'number') return { type: 'scalar', value, written, style, range };
    // A tag such as !!binary made something that is no JSON value.
    this.problems.add({
      code: 'yaml_tag',
      message: 'the tag makes a value that JSON does not know: remove it',
      range,
    });
    return { type: 'scalar', value: null, written, style, range };
  }
}

function rangeOf(node: { range?: readonly [number, number, number] | null }): TextRange {
  const range = node.range!;
  return { start: range[0], end: range[1] };
}
