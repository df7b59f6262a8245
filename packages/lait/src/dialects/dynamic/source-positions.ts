import { Problems } from '../../plan/problems.js';
import type { SourceFile, SourcePosition } from '../../plan/source.js';
import { nodeAtDotted } from '../../plan/yaml/node-at.js';
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
    return root && this.#problems.position(nodeAtDotted(root, path).range);
  }
}
