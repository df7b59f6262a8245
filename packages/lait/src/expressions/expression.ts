import type { Value } from '../values/value.js';
import type { Scope } from './scope.js';

export type ExpressionLanguage = 'jq' | 'template' | 'predicate' | 'mapping' | 'reference' | 'constant';

/** A root of the scope that an expression reads. */
export type ReferenceRoot = 'value' | 'steps' | 'inputs' | 'loop' | 'state' | 'context';

/** A static read of the scope, e.g. `$steps.classify.category` → root `steps`, path `['classify', 'category']`. */
export interface Reference {
  root: ReferenceRoot;
  path: readonly (string | number)[];
  /** Character offsets inside `source`. */
  start?: number;
  end?: number;
}

/** A compiled expression of whatever language. Lint, dry-run and drawings use `source` and `references`. */
export interface Expression<T extends Value = Value> {
  readonly language: ExpressionLanguage;
  readonly source: string;
  readonly references: readonly Reference[];
  /** Evaluates without waiting and without effects. Throws a `StepError` that names the expression. */
  evaluate(scope: Scope): T;
}
