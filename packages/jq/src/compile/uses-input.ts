import type { Node } from '../syntax/ast.js';
import { children } from '../syntax/children.js';

/** Whether an expression may look at its input. False is certain; true may be overcautious. */
export function usesInput(node: Node): boolean {
  switch (node.type) {
    case 'literal':
    case 'variable':
      return false;
    case 'pipe':
      // Only the first stage sees the input.
      return usesInput(node.stages[0]!);
    case 'object':
      return node.entries.some(({ key, value }) => value === null || usesInput(key) || usesInput(value));
    case 'array':
    case 'comma':
    case 'binary':
    case 'logical':
    case 'alternative':
    case 'negate':
    case 'template':
    case 'index':
    case 'slice':
    case 'iterate':
    case 'if':
      return children(node).some(usesInput) || (node.type === 'if' && node.otherwise === null);
    default:
      return true;
  }
}
