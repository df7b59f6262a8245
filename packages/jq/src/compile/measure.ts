import type { FunctionDefinition, Node } from '../syntax/ast.js';
import { children } from '../syntax/children.js';

const depths = new WeakMap<Node, number>();

/** Levels of nested expressions in a node. */
export function nodeDepth(node: Node): number {
  let depth = depths.get(node);
  if (depth === undefined) {
    depth = 1;
    for (const child of children(node)) depth = Math.max(depth, nodeDepth(child) + 1);
    depths.set(node, depth);
  }
  return depth;
}

/**
 * Whether `node` calls `name/arity` as it is visible outside: not an inner definition or parameter of that name.
 * `definition` is the function the body belongs to, whose parameters hide the name too.
 */
export function callsFunction(
  node: Node,
  name: string,
  arity: number,
  definition: FunctionDefinition | null,
): boolean {
  if (arity === 0 && definition?.parameters.some((parameter) => parameter.name === name)) return false;
  if (node.type === 'call' && node.name === name && node.arguments.length === arity) return true;
  if (node.type === 'def') {
    const inner = node.definition;
    const hides = inner.name === name && inner.parameters.length === arity;
    if (hides) return false;
    return callsFunction(inner.body, name, arity, inner) || callsFunction(node.body, name, arity, null);
  }
  return children(node).some((child) => callsFunction(child, name, arity, null));
}
