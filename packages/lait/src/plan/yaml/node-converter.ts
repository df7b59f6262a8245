import { type Alias, isAlias, isScalar, isSeq, type ParsedNode, type Scalar } from 'yaml';
import { deepestYaml } from '../../files/yaml-tokens.js';
import type { Problems, TextRange } from '../problems.js';
import type { MapEntry, MapNode, ScalarStyle, SourceNode } from './source-node.js';
import { shorten } from './source-node.js';

/** Values that aliases may add to those that are written out. */
const mostAliasedValues = 100_000;

const styles: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/** Turns the library's nodes into ours: aliases resolved and bounded, duplicate keys and broken text found. */
export class NodeConverter {
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
