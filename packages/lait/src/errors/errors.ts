import type { Diagnostic } from '../plan/diagnostic.js';
import type { SourceFile } from '../plan/source.js';
import { LaitError, type LaitErrorOptions } from './lait-error.js';

type Options = Omit<LaitErrorOptions, 'category'>;

/** The call itself is wrong: unknown flag, missing argument, inputs that do not fit the declaration. */
export class UsageError extends LaitError {
  constructor(options: Options) {
    super({ ...options, category: 'usage' });
  }
}

/** A workflow, agent, configuration or test file is wrong; carries every problem that was found. */
export class DefinitionError extends LaitError {
  readonly diagnostics: readonly Diagnostic[];
  /** The texts that the diagnostics' positions point into, for frames. */
  readonly sources: readonly SourceFile[];
  constructor(options: Options & { diagnostics: readonly Diagnostic[]; sources?: readonly SourceFile[] }) {
    super({ ...options, category: 'definition' });
    this.diagnostics = options.diagnostics;
    this.sources = options.sources ?? [];
  }
}

/** A model server refused, broke off, or answered something that is no answer. */
export class ModelError extends LaitError {
  constructor(options: Options) {
    super({ ...options, category: 'model' });
  }
}

/** A deadline passed: a step's `timeout`, a workflow's `timeout`, or a limit inside a client. */
export class TimeoutError extends LaitError {
  constructor(options: Options) {
    super({ ...options, category: 'timeout' });
  }
}

/** The run was cancelled from outside. Never caught by `retry` or `on_error`. */
export class CancelledError extends LaitError {
  constructor(options: Partial<Options> = {}) {
    super({
      code: 'cancelled',
      message: 'cancelled',
      disposition: 'cancelled',
      ...options,
      category: 'cancelled',
    });
  }
}

/** A step failed for any other reason: a command's exit status, a value that breaks its schema, no matching case. */
export class StepError extends LaitError {}
