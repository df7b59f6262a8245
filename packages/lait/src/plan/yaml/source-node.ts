import type { TextRange } from '../problems.js';

/** A definition as it was written: values with their places. YAML, JSON and objects of a program all become this. */
export type SourceNode = ScalarNode | ListNode | MapNode;

interface Located {
  /** Absent when the definition did not come from a text. */
  range?: TextRange;
}

export interface ScalarNode extends Located {
  type: 'scalar';
  value: string | number | boolean | null;
  /** The text as written, e.g. `1.10` for the number 1.1. */
  written: string;
  style: ScalarStyle;
}

/** How a scalar is written; decides how a place inside its value is found in the text. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface ListNode extends Located {
  type: 'list';
  items: readonly SourceNode[];
}

export interface MapNode extends Located {
  type: 'map';
  entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  key: string;
  keyRange?: TextRange;
  value: SourceNode;
}

/** What people call the type of a node in messages. */
export function describe(node: SourceNode): string {
  if (node.type === 'list') return 'a list';
  if (node.type === 'map') return 'a mapping';
  if (node.value === null) return node.written === '' ? 'empty' : `null (\`${shorten(node.written)}\`)`;
  if (typeof node.value === 'string') return `the text '${shorten(node.value)}'`;
  return `the ${typeof node.value} ${shorten(node.written)}`;
}

/** A value for a message: one line, at most 60 characters. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const characters = [...line.slice(0, 200)];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : line;
}
