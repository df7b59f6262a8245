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
  const steps: Node[] = [];
  let start: Node = node;
  while (start.type === 'index' || start.type === 'slice' || start.type === 'iterate' || isOptional(start)) {
    if (start.type !== 'try') steps.unshift(start);
    start = start.type === 'try' ? start.body : start.target;
  }
  if (start.type !== 'variable') return null;
  const path: (string | number)[] = [];
  const dynamicKeys: Node[] = [];
  let range = start.range;
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
  return { reference: { variable: start.name, path, range, complete }, variable: start, dynamicKeys };
}

/** `body?` between two accesses, as in `$steps.x?.y`. */
function isOptional(node: Node): node is Extract<Node, { type: 'try' }> {
  return node.type === 'try' && node.handler === null;
}
