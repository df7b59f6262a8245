import type { FunctionDefinition, Node, Pattern } from '../syntax/ast.js';

/** The nodes directly below a node, those in patterns included. */
export function children(node: Node): readonly Node[] {
  switch (node.type) {
    case 'template':
      return node.parts.filter((part) => typeof part !== 'string');
    case 'index':
      return [node.target, node.key];
    case 'slice':
      return [node.target, node.from, node.to].filter((child) => child !== null);
    case 'iterate':
      return [node.target];
    case 'array':
      return node.body === null ? [] : [node.body];
    case 'object':
      return node.entries.flatMap(({ key, value }) => (value === null ? [key] : [key, value]));
    case 'negate':
      return [node.operand];
    case 'pipe':
      return node.stages;
    case 'comma':
      return node.items;
    case 'binary':
    case 'logical':
    case 'alternative':
      return [node.left, node.right];
    case 'assignment':
      return [node.target, node.value];
    case 'if': {
      const branches = node.branches.flatMap(({ condition, then }) => [condition, then]);
      return node.otherwise === null ? branches : [...branches, node.otherwise];
    }
    case 'try':
      return node.handler === null ? [node.body] : [node.body, node.handler];
    case 'reduce':
      return [node.source, ...keys(node.patterns), node.init, node.update];
    case 'foreach': {
      const parts = [node.source, ...keys(node.patterns), node.init, node.update];
      return node.extract === null ? parts : [...parts, node.extract];
    }
    case 'as':
      return [node.source, ...keys(node.patterns), node.body];
    case 'label':
      return [node.body];
    case 'def':
      return [node.definition.body, node.body];
    case 'call':
      return node.arguments;
    default:
      return [];
  }
}

function keys(patterns: readonly Pattern[]): Node[] {
  return patterns.flatMap((pattern): Node[] => {
    if (pattern.type === 'variable') return [];
    if (pattern.type === 'array') return keys(pattern.items);
    return pattern.entries.flatMap(({ key, pattern: inner }) => [
      key,
      ...(inner === null ? [] : keys([inner])),
    ]);
  });
}

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
