/** An expression that cannot be compiled. `start` and `end` are character offsets inside its source. */
export class ExpressionSyntaxError extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
    /** A name that nothing knows, and the names that would be known there. */
    readonly unknown?: { name: string; known: readonly string[] },
  ) {
    super(message);
    this.name = 'ExpressionSyntaxError';
  }
}
