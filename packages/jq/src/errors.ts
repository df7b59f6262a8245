import type { Range } from './syntax/range.js';
import type { JsonValue } from './values/json.js';

/** Codes of {@link JqCompileError}: what is wrong with a program before it runs. */
export type CompileErrorCode =
  | 'syntax'
  | 'unknown_function'
  | 'undefined_variable'
  | 'undefined_label'
  | 'refused_feature'
  | 'source_too_large'
  | 'source_too_deep';

/** Codes of {@link JqRuntimeError}: why an evaluation ended without its result. */
export type RuntimeErrorCode =
  | 'error'
  | 'no_output'
  | 'many_outputs'
  | 'budget_exceeded'
  | 'depth_exceeded'
  | 'value_too_large'
  | 'invalid_value'
  | 'aborted';

/** Base of every error this package throws. */
export class JqError extends Error {
  /** Stable, machine-readable reason. */
  readonly code: CompileErrorCode | RuntimeErrorCode;
  /** Where in the source the problem is; absent where no place is known. */
  readonly range: Range | undefined;

  constructor(
    code: CompileErrorCode | RuntimeErrorCode,
    message: string,
    range?: Range,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.range = range;
  }
}

/** A program that cannot be compiled: bad syntax, an unknown name, a refused feature, a size limit. */
export class JqCompileError extends JqError {
  declare readonly code: CompileErrorCode;
  declare readonly range: Range;

  constructor(code: CompileErrorCode, message: string, range: Range) {
    super(code, message, range);
  }
}

/** An evaluation that failed. `value` is what `catch` would have received; messages show it shortened. */
export class JqRuntimeError extends JqError {
  declare readonly code: RuntimeErrorCode;
  /** The raised value: a string for built-in errors, any JSON value after `error(…)`. */
  readonly value: JsonValue;

  constructor(
    code: RuntimeErrorCode,
    message: string,
    value: JsonValue,
    range?: Range,
    options?: { cause?: unknown },
  ) {
    super(code, message, range, options);
    this.value = value;
  }
}
