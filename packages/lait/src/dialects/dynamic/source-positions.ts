import { Problems } from '../../plan/problems.js';
import type { SourceFile, SourcePosition } from '../../plan/source.js';
import { readYaml } from '../../plan/yaml/read-yaml.js';
import type { SourceNode } from '../../plan/yaml/source-node.js';

/**
 * Finds where the parts of a definition stand in its file. The text is read again when the first place is asked for.
 */
export class SourcePositions {
  readonly #problems: Problems;
  #read: { root: SourceNode | undefined } | undefined;

  constructor(source: SourceFile) {
    this.#problems = new Problems(source);
  }

  /**
   * The place of a dotted path as issues have it; of a part that is missing, the place of what should hold it.
   * Undefined when the text cannot be read.
   */
  of(path: string): SourcePosition | undefined {
    this.#read ??= { root: readYaml(this.#problems) };
    const { root } = this.#read;
    return root && this.#problems.position(nodeAt(root, path === '' ? [] : path.split('.')).range);
  }
}

/** Keys may hold dots themselves: the longest run of segments that names a key is taken. */
function nodeAt(node: SourceNode, segments: readonly string[]): SourceNode {
  if (segments.length === 0 || node.type === 'scalar') return node;
  if (node.type === 'list') {
    const item = node.items[Number(segments[0])];
    return item === undefined ? node : nodeAt(item, segments.slice(1));
  }
  for (let length = segments.length; length > 0; length -= 1) {
    const entry = node.entries.get(segments.slice(0, length).join('.'));
    if (entry !== undefined) return nodeAt(entry.value, segments.slice(length));
  }
  return node;
}
