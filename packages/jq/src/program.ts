import type { Reference } from './analysis/references.js';
import { resolve } from './analysis/resolve.js';
import { findBuiltin } from './builtins/registry.js';
import { type Direct, lazily } from './compile/code.js';
import { Compiler } from './compile/compiler.js';
import { Context } from './compile/context.js';
import { Env } from './compile/env.js';
import { Globals, type VariableValue } from './compile/globals.js';
import { LabelToken, Machine, type Op, output } from './compile/machine.js';
import { JqCompileError, JqRuntimeError } from './errors.js';
import { defaultLimits, type Limits } from './limits.js';
import type { Node } from './syntax/ast.js';
import { parse } from './syntax/parser.js';
import type { JsonValue } from './values/json.js';
import { beginningOfText } from './values/json-text.js';
import { Fatal, Raised } from './values/raise.js';

export interface CompileOptions {
  /** Names of the variables a run will be given, without the sign. Others are compile errors. */
  readonly variables?: readonly string[];
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
}

/** Values of variables by name. Those that are not given are null. */
export type Variables = Readonly<Record<string, VariableValue | undefined>>;

export interface RunOptions {
  /** Checked before each output. */
  readonly signal?: AbortSignal;
  /** Steps and outputs of this run, where they differ from the program's limits. */
  readonly budget?: Partial<Pick<Limits, 'steps' | 'outputs'>>;
  /** Called with every integer literal that `fromjson` reads and a double cannot hold exactly. */
  readonly onPrecisionLoss?: (literal: string) => void;
  /** Called with what `debug` is given. Without it, `debug` does nothing. */
  readonly onDebug?: (value: JsonValue) => void;
}

/** A compiled jq program. It holds no state: runs are independent, and may be nested. */
export interface Program {
  readonly source: string;
  /** The syntax tree, with positions on every node. */
  readonly ast: Node;
  /** Every use of a variable given from outside, in source order. */
  readonly references: readonly Reference[];
  /**
   * The outputs for one input, each computed when asked for. The input is never changed and may be shared by the
   * outputs. Throws JqRuntimeError, after the outputs before the error.
   */
  run(value: JsonValue, variables?: Variables, options?: RunOptions): IterableIterator<JsonValue>;
  /**
   * The only output. Throws JqRuntimeError: `no_output` when there is none, `many_outputs` at the second one.
   */
  one(value: JsonValue, variables?: Variables, options?: RunOptions): JsonValue;
}

/**
 * Compiles a jq program. Throws JqCompileError for bad syntax, unknown names, refused features and sources beyond
 * the limits.
 */
export function compile(source: string, options: CompileOptions = {}): Program {
  const limits = options.limits === undefined ? defaultLimits : { ...defaultLimits, ...options.limits };
  const names = options.variables ?? [];
  try {
    const ast = parse(source, limits);
    const references = resolve(ast, names);
    const program = new CompiledProgram(source, ast, references, names, limits);
    if (source.length > longestSafe) program.compile();
    return program;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const range = { start: 0, end: source.length, line: 1, column: 1 };
    throw new JqCompileError('source_too_deep', 'The program is nested too deeply', range);
  }
}

/** Characters of a source that cannot be nested so deeply that its compilation overflows the stack. */
const longestSafe = 500;

/** What a compiled program keeps: its direct form, where there is one, and else the entry of its machine form. */
type Compiled = { direct: Direct } | { direct: null; entry: () => Op };

/** Compiled when it first runs: who only checks programs, or never reaches one, does not pay for it. */
class CompiledProgram implements Program {
  private compiled: Compiled | undefined;
  private tree: Node | undefined;

  constructor(
    readonly source: string,
    ast: Node,
    readonly references: readonly Reference[],
    private readonly names: readonly string[],
    private readonly limits: Limits,
  ) {
    this.tree = ast;
  }

  /** Let go once the program is compiled, because a tree takes more room than a program, and made again for who asks. */
  get ast(): Node {
    return this.tree ?? parse(this.source, this.limits);
  }

  compile(): Compiled {
    if (this.compiled === undefined) {
      const code = new Compiler(this.names, (key) => findBuiltin(key)).compile(this.ast, null, 0);
      const { direct } = code;
      this.compiled = direct === null ? { direct, entry: lazily(() => code.link(output)) } : { direct };
      this.tree = undefined;
    }
    return this.compiled;
  }

  *run(value: JsonValue, variables: Variables = {}, options: RunOptions = {}): IterableIterator<JsonValue> {
    const { signal } = options;
    const env = this.environment(variables, options);
    let left = options.budget?.outputs ?? this.limits.outputs;
    checkAborted(signal);
    try {
      const compiled = this.compile();
      if (compiled.direct !== null) {
        const result = compiled.direct(value ?? null, env);
        if (result !== undefined) yield this.checkOutput(result, left);
        return;
      }
      const machine = new Machine(compiled.entry(), value ?? null, null, env);
      while (machine.next()) {
        yield this.checkOutput(machine.value, left--);
        checkAborted(signal);
      }
    } catch (error) {
      throw toRuntimeError(error);
    }
  }

  one(value: JsonValue, variables: Variables = {}, options: RunOptions = {}): JsonValue {
    checkAborted(options.signal);
    const env = this.environment(variables, options);
    let result: JsonValue | undefined;
    try {
      const compiled = this.compile();
      if (compiled.direct !== null) result = compiled.direct(value ?? null, env);
      else {
        const machine = new Machine(compiled.entry(), value ?? null, null, env);
        if (machine.next()) result = machine.value;
        checkAborted(options.signal);
        if (result !== undefined && machine.next()) {
          throw new JqRuntimeError('many_outputs', manyOutputs(result), machine.value, this.ast.range);
        }
      }
    } catch (error) {
      throw toRuntimeError(error);
    }
    if (result === undefined) {
      throw new JqRuntimeError(
        'no_output',
        'The expression gave no value; exactly one is needed',
        null,
        this.ast.range,
      );
    }
    return result;
  }

  private environment(variables: Variables, options: RunOptions): Env {
    // Most programs read their input alone.
    const values =
      this.references.length === 0
        ? []
        : this.names.map((name) => (Object.hasOwn(variables, name) ? variables[name] : undefined));
    const steps = options.budget?.steps ?? this.limits.steps;
    const context = new Context(steps, new Globals(values), options.onPrecisionLoss, options.onDebug);
    return new Env(null, null, context);
  }

  private checkOutput(result: JsonValue, left: number): JsonValue {
    if (left > 0) return result;
    throw new Fatal('budget_exceeded', 'The program gives more outputs than its budget allows');
  }
}

function manyOutputs(first: JsonValue): string {
  const shown = beginningOfText(first, 60).slice(0, 60);
  return `The expression gave more than one value (the first is ${shown}); collect them with [...] or take first(...)`;
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new JqRuntimeError('aborted', 'The evaluation was aborted', null, undefined, {
      cause: signal.reason,
    });
  }
}

/** Longest text of a raised value in a message. */
const shownCharacters = 1000;

const tooLarge = 'The evaluation built a value that is too large';

/** Node's own error for strings beyond JavaScript's limit, which is no RangeError. */
function isTooLong(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'ERR_STRING_TOO_LONG';
}

/** What leaves the package for an error inside it. */
function toRuntimeError(error: unknown): unknown {
  if (error instanceof Raised) {
    return new JqRuntimeError('error', messageOf(error.value), error.value, error.range);
  }
  if (error instanceof Fatal) return new JqRuntimeError(error.code, error.message, null);
  if (error instanceof LabelToken) return new JqRuntimeError('error', 'break', null);
  if (isTooLong(error)) {
    return new JqRuntimeError('value_too_large', tooLarge, null, undefined, { cause: error });
  }
  if (error instanceof RangeError) {
    const isDepth = /call stack/i.test(error.message);
    const [code, message] = isDepth
      ? (['depth_exceeded', 'The evaluation is nested too deeply'] as const)
      : (['value_too_large', tooLarge] as const);
    return new JqRuntimeError(code, message, null, undefined, { cause: error });
  }
  if (error instanceof TypeError && /is not a JSON value$/.test(error.message)) {
    return new JqRuntimeError('invalid_value', error.message, null, undefined, { cause: error });
  }
  return error;
}

/** jq's message of an uncaught error, shortened. */
function messageOf(value: JsonValue): string {
  const text =
    typeof value === 'string' ? value : `(not a string): ${beginningOfText(value, shownCharacters)}`;
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}...` : text;
}
