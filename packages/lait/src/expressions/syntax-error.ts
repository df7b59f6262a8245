/** An expression that cannot be compiled. `start` and `end` are character offsets inside its source. */
export class ExpressionSyntaxError extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
    readonly hint?: string,
  ) {
    super(message);
    this.name = 'ExpressionSyntaxError';
  }
}
