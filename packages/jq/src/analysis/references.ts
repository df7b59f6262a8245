import type { Node, Variable } from '../syntax/ast.js';
import type { Range } from '../syntax/range.js';

/** One use of a variable given from outside, with the constant keys that follow it. */
export interface Reference {
  /** Name without the sign. */
  readonly variable: string;
  /** The keys known without running: `$steps.x[0].y` gives `['x', 0, 'y']`. */
  readonly path: readonly (string | number)[];
  /** The place of the variable and of those keys. */
  readonly range: Range;
  /** False where keys follow that only a run knows: `$steps[.name]`, `$steps.x[]`. */
  readonly complete: boolean;
}

/** Reads an access chain that starts at a variable; null for any other. */
export function staticReference(
  node: Node,
): { reference: Reference; variable: Variable; dynamicKeys: readonly Node[] } | null {
  const variable = startOf(node);
  if (variable.type !== 'variable') return null;
  const steps: Node[] = [];
  for (let step = node; step !== variable; step = accessed(step)!)
    if (step.type !== 'try') steps.unshift(step);
  const path: (string | number)[] = [];
  const dynamicKeys: Node[] = [];
  let { range } = variable;
  let complete = true;
  for (const step of steps) {
    const key = step.type === 'index' && step.key.type === 'literal' ? step.key.value : null;
    if (complete && (typeof key === 'string' || typeof key === 'number')) {
      path.push(key);
      range = { ...range, end: step.range.end };
    } else complete = false;
    if (step.type === 'index') dynamicKeys.push(step.key);
    if (step.type === 'slice') dynamicKeys.push(...[step.from, step.to].filter((end) => end !== null));
  }
  return { reference: { variable: variable.name, path, range, complete }, variable, dynamicKeys };
}

/** Where an access chain starts. */
function startOf(node: Node): Node {
  let start = node;
  for (let next = accessed(start); next !== null; next = accessed(next)) start = next;
  return start;
}

/** What a step of an access chain is taken of: the target, or the body of `body?` between two accesses. */
function accessed(node: Node): Node | null {
  switch (node.type) {
    case 'index':
    case 'slice':
    case 'iterate':
      return node.target;
    case 'try':
      return node.handler === null ? node.body : null;
    default:
      return null;
  }
}
