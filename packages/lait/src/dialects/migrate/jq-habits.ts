import { compile, type Node } from '@lait/jq';

/** The syntax tree of a jq expression; undefined when it cannot be read. */
function treeOf(source: string): Node | undefined {
  try {
    return compile(source, { variables: ['steps', 'inputs', 'vars', 'loop'] }).ast;
  } catch {
    return undefined;
  }
}

/** Functions that may give any number of results. */
const streams: ReadonlySet<string> = new Set([
  'empty',
  'select',
  'range',
  'recurse',
  'paths',
  'leaf_paths',
  'splits',
  'match',
  'scan',
  'capture',
  'repeat',
  'limit',
  'inputs',
  'values',
  'nulls',
  'strings',
  'numbers',
  'booleans',
  'objects',
  'arrays',
  'iterables',
  'scalars',
]);

/** Functions that make one result of all that their arguments give. */
const gathers: ReadonlySet<string> = new Set([
  'first',
  'last',
  'any',
  'all',
  'isempty',
  'add',
  'map',
  'reduce',
]);

/** Whether an expression may give another number of values than one. Version 1 joined them with line breaks. */
export function mayGiveMany(source: string): boolean {
  const tree = treeOf(source);
  return tree !== undefined && many(tree);
}

/** Whether an expression looks into the value that comes in, and not only at it as a whole. */
export function readsParts(source: string): boolean {
  const tree = treeOf(source);
  return tree !== undefined && reads(tree);
}

/** Whether an expression compiles: version 1 also knew words in its place. */
export function isJq(source: string): boolean {
  return treeOf(source) !== undefined;
}

function many(node: Node): boolean {
  switch (node.type) {
    case 'iterate':
    case 'comma':
    case 'recurse':
    case 'foreach':
      return true;
    case 'array':
    case 'reduce':
      return false;
    case 'call':
      return streams.has(node.name) || (!gathers.has(node.name) && node.arguments.some(many));
    default:
      return childrenOf(node).some(many);
  }
}

function reads(node: Node): boolean {
  switch (node.type) {
    case 'index':
    case 'slice':
    case 'iterate':
      return node.target.type === 'identity' || reads(node.target);
    case 'pipe':
      return reads(node.stages[0]!);
    default:
      return childrenOf(node).some(reads);
  }
}

/** The nodes directly below, whatever the construction. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) collect(item);
    else if (typeof value === 'object' && value !== null) {
      if ('range' in value && 'type' in value) children.push(value as Node);
      else for (const item of Object.values(value)) collect(item);
    }
  };
  for (const [name, value] of Object.entries(node)) if (name !== 'range') collect(value);
  return children;
}
