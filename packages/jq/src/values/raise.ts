import type { Range } from '../syntax/range.js';
import type { JsonValue } from './json.js';

/**
 * A jq error on its way to a `catch`. Not an `Error`: programs raise and catch many of them, and recording a
 * stack for each would cost more than the evaluation. It becomes a JqRuntimeError when it leaves the package.
 */
export class Raised {
  range: Range | undefined;

  constructor(
    readonly value: JsonValue,
    range?: Range,
  ) {
    this.range = range;
  }
}

/** Raises a jq error with a text message. */
export function raise(message: string, range?: Range): never {
  throw new Raised(message, range);
}

/** Ends an evaluation in a way that no `try` of the program can catch. */
export class Fatal {
  constructor(
    readonly code: 'budget_exceeded' | 'depth_exceeded' | 'value_too_large' | 'aborted' | 'invalid_value',
    readonly message: string,
  ) {}
}
