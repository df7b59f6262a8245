import type { Node, Pattern } from './ast.js';

/** The nodes directly below a node, those in patterns included. */
export function children(node: Node): readonly Node[] {
  const found: Node[] = [];
  eachChild(node, (child) => found.push(child));
  return found;
}

/** Visits the nodes directly below a node, those in patterns included. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  switch (node.type) {
    case 'template':
      for (const part of node.parts) if (typeof part !== 'string') visit(part);
      return;
    case 'index':
      visit(node.target);
      visit(node.key);
      return;
    case 'slice':
      visit(node.target);
      if (node.from !== null) visit(node.from);
      if (node.to !== null) visit(node.to);
      return;
    case 'iterate':
      visit(node.target);
      return;
    case 'array':
      if (node.body !== null) visit(node.body);
      return;
    case 'object':
      for (const { key, value } of node.entries) {
        visit(key);
        if (value !== null) visit(value);
      }
      return;
    case 'negate':
      visit(node.operand);
      return;
    case 'pipe':
      for (const stage of node.stages) visit(stage);
      return;
    case 'comma':
      for (const item of node.items) visit(item);
      return;
    case 'binary':
    case 'logical':
    case 'alternative':
      visit(node.left);
      visit(node.right);
      return;
    case 'assignment':
      visit(node.target);
      visit(node.value);
      return;
    case 'if':
      for (const { condition, then } of node.branches) {
        visit(condition);
        visit(then);
      }
      if (node.otherwise !== null) visit(node.otherwise);
      return;
    case 'try':
      visit(node.body);
      if (node.handler !== null) visit(node.handler);
      return;
    case 'reduce':
    case 'foreach':
      visit(node.source);
      eachKey(node.patterns, visit);
      visit(node.init);
      visit(node.update);
      if (node.type === 'foreach' && node.extract !== null) visit(node.extract);
      return;
    case 'as':
      visit(node.source);
      eachKey(node.patterns, visit);
      visit(node.body);
      return;
    case 'label':
      visit(node.body);
      return;
    case 'def':
      visit(node.definition.body);
      visit(node.body);
      return;
    case 'call':
      for (const argument of node.arguments) visit(argument);
      return;
    default:
  }
}

/** Visits the expressions of keys in patterns. */
export function eachKey(patterns: readonly Pattern[], visit: (key: Node) => void): void {
  for (const pattern of patterns) {
    if (pattern.type === 'array') eachKey(pattern.items, visit);
    else if (pattern.type === 'object') {
      for (const { key, pattern: inner } of pattern.entries) {
        visit(key);
        if (inner !== null) eachKey([inner], visit);
      }
    }
  }
}
