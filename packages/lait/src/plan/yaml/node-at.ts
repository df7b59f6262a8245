import type { SourceNode } from './source-node.js';

/** The node that a path leads to, or the last one on the way. */
export function nodeAt(node: SourceNode, path: readonly (string | number)[]): SourceNode {
  let at = node;
  for (const part of path) {
    let next: SourceNode | undefined;
    if (at.type === 'map') next = at.entries.get(String(part))?.value;
    else if (at.type === 'list') next = at.items[Number(part)];
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

/**
 * The same for a path as text, `graph.2.steps.0`. Keys may hold dots themselves: the longest run of parts that names a
 * key is taken.
 */
export function nodeAtDotted(node: SourceNode, path: string): SourceNode {
  return below(node, path === '' ? [] : path.split('.'));
}

function below(node: SourceNode, parts: readonly string[]): SourceNode {
  if (parts.length === 0 || node.type === 'scalar') return node;
  if (node.type === 'list') {
    const item = node.items[Number(parts[0])];
    return item === undefined ? node : below(item, parts.slice(1));
  }
  for (let length = parts.length; length > 0; length -= 1) {
    const entry = node.entries.get(parts.slice(0, length).join('.'));
    if (entry !== undefined) return below(entry.value, parts.slice(length));
  }
  return node;
}
