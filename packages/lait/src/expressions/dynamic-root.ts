import type { JsonObject, Value } from '../values/value.js';
import type { Reference, ReferenceRoot } from './expression.js';
import type { Scope } from './scope.js';

/** The roots of placeholders and predicates, and what each of them reads of the scope. Source: dynamic facts §2.2, §3. */
export const dynamicRoots = {
  inputData: 'value',
  initData: 'inputs',
  state: 'state',
  requestContext: 'context',
  stepResults: 'steps',
} as const satisfies Record<string, ReferenceRoot>;

export type DynamicRoot = keyof typeof dynamicRoots;

/** True for a known root; own keys only, so that `toString` is none. */
export function isDynamicRoot(name: string): name is DynamicRoot {
  return Object.hasOwn(dynamicRoots, name);
}

/** The value of a root that needs no further key. */
export function readRoot(root: 'inputData' | 'initData' | 'state', scope: Scope): Value {
  switch (root) {
    case 'inputData':
      return scope.value;
    case 'initData':
      return scope.inputs;
    case 'state':
      return scope.state;
  }
}

/** A value of the request context: one flat key, dots belong to the key. */
export function readContext(key: string, scope: Scope): Value {
  return Object.hasOwn(scope.context, key) ? (scope.context as JsonObject)[key] : undefined;
}

/** A static read of a root of the dynamic form. `range` counts in the expression's source. */
export function referenceTo(
  root: DynamicRoot,
  path: readonly string[],
  range: { start?: number; end?: number } = {},
): Reference {
  return { root: dynamicRoots[root], path, ...range };
}
