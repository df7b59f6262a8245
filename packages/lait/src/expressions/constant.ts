import type { Value } from '../values/value.js';
import type { Expression } from './expression.js';

/** An expression that reads nothing and always gives `value`. */
export function constant<T extends Value>(value: T, source: string): Expression<T> {
  return { language: 'constant', source, references: [], evaluate: () => value };
}
