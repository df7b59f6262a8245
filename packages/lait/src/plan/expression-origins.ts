import type { Expression } from '../expressions/expression.js';
import type { SourcePosition } from './source.js';

/** Where the expressions of a plan stand in its source; lint shows problems inside them with it. */
export class ExpressionOrigins {
  readonly #places = new Map<Expression, (start: number, end: number) => SourcePosition | undefined>();

  /** `place` turns character offsets inside the expression into a position in the file. */
  set(expression: Expression, place: (start: number, end: number) => SourcePosition | undefined): void {
    this.#places.set(expression, place);
  }

  /** The position of a part of an expression; of all of it without offsets. */
  position(expression: Expression, start = 0, end = expression.source.length): SourcePosition | undefined {
    return this.#places.get(expression)?.(start, end);
  }
}
