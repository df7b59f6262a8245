import { isMap, isScalar, isSeq, type Node, parseDocument, type Range } from 'yaml';
import { yamlTokens } from '../../files/yaml-tokens.js';
import { LineIndex } from '../../plan/line-index.js';
import type { SourceFile, SourcePosition } from '../../plan/source.js';

/** Finds where the parts of a definition stand in its file. The text is read again when the first place is asked for. */
export class SourcePositions {
  #read: { root: Node | null; lines: LineIndex } | undefined;

  constructor(private readonly source: SourceFile) {}

  /**
   * The place of a dotted path as issues have it; of a part that is missing, the place of what should hold it.
   * Undefined when the text cannot be read.
   */
  of(path: string): SourcePosition | undefined {
    this.#read ??= this.#parse();
    const { root, lines } = this.#read;
    if (root === null) return undefined;
    const range = rangeAt(root, path === '' ? [] : path.split('.'));
    return range == null ? undefined : lines.position(this.source.file, range[0], range[1]);
  }

  #parse(): { root: Node | null; lines: LineIndex } {
    const { text } = this.source;
    const lines = new LineIndex(text);
    try {
      yamlTokens(text);
      return { root: parseDocument(text, { uniqueKeys: false }).contents, lines };
    } catch {
      // Too large or too deep to be read with places.
      return { root: null, lines };
    }
  }
}

/** Keys may hold dots themselves: the longest run of segments that names a key is taken. */
function rangeAt(node: Node, segments: readonly string[]): Range | null | undefined {
  if (segments.length === 0) return node.range;
  if (isSeq(node)) {
    const item = node.items[Number(segments[0])];
    return item === undefined || item === null ? node.range : rangeAt(item as Node, segments.slice(1));
  }
  if (!isMap(node)) return node.range;
  for (let length = segments.length; length > 0; length -= 1) {
    const key = segments.slice(0, length).join('.');
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    if (pair === undefined) continue;
    const value = pair.value as Node | null;
    return value === null ? (pair.key as Node).range : rangeAt(value, segments.slice(length));
  }
  return node.range;
}
