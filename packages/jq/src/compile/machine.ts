import type { JsonValue } from '../values/json.js';
import { Raised } from '../values/raise.js';
import type { Env } from './env.js';
import type { Path } from './path.js';

/** One operation: changes the registers and names the next operation; null means backtrack. */
export type Op = (machine: Machine) => Op | null;

/** What an operation keeps while a part of it runs; linked, so that backtracking needs no copies. */
export class Frame {
  constructor(
    readonly up: Frame | null,
    readonly a: unknown,
    readonly b: unknown,
    readonly c: unknown,
  ) {}
}

/** Where to go on when what follows has no more outputs, and what to catch on the way there. */
export class Fork {
  constructor(
    /** `resume` goes on with `op`; the others are passed by and matter to errors and breaks only. */
    readonly kind: 'resume' | 'try' | 'exit' | 'label',
    readonly op: Op | null,
    readonly value: JsonValue,
    readonly path: Path | null,
    readonly env: Env,
    readonly stack: Frame | null,
    /** For `label` its token, for `exit` the `try` fork it leaves, else what `op` wants. */
    readonly data: unknown,
  ) {}
}

/** Identifies one activation of a `label`; thrown to break out of native evaluation. */
export class LabelToken {}

/** The operation that hands an output to the caller; never executed. */
export const output: Op = () => null;

/** Ends a function body: back to the caller's operation and environment. */
export const functionReturn: Op = (machine) => {
  const frame = machine.stack!;
  machine.stack = frame.up;
  machine.env = frame.b as Env;
  return frame.a as Op;
};

/**
 * Runs programs with everything on the heap: unlimited recursion, tail calls, outputs on demand. Registers are the
 * current value, its path (null outside path expressions), the environment, and the frame stack.
 */
export class Machine {
  stack: Frame | null = null;
  /** The fork just resumed. */
  resumed: Fork | null = null;
  private forks: Fork[] = [];
  private readonly depth: number;
  private started = false;

  constructor(
    private readonly entry: Op,
    public value: JsonValue,
    public path: Path | null,
    public env: Env,
  ) {
    this.depth = env.context.depth;
  }

  /** Runs to the next output, left in `value` and `path`. False when there is none. */
  next(): boolean {
    let op: Op | null = this.started ? null : this.entry;
    this.started = true;
    const { context } = this.env;
    for (;;) {
      try {
        for (;;) {
          if (op === null) {
            op = this.backtrack();
            if (op === null) return false;
          }
          if (op === output) return true;
          context.step();
          op = op(this);
        }
      } catch (error) {
        context.depth = this.depth;
        op = this.recover(error);
      }
    }
  }

  /** Adds a place to come back to with the current registers. */
  fork(op: Op, data: unknown = null): void {
    const { value, path, env, stack } = this;
    this.forks.push(new Fork('resume', op, value, path, env, stack, data));
  }

  /** Comes back to a fork once more. */
  refork(fork: Fork): void {
    this.forks.push(fork);
  }

  label(token: LabelToken): void {
    const { value, path, env, stack } = this;
    this.forks.push(new Fork('label', null, value, path, env, stack, token));
  }

  /** Guards what follows: an error in it resumes at `handler` with the raised value (null: backtracks). */
  enterTry(handler: Op | null): Fork {
    const { value, path, env, stack } = this;
    const fork = new Fork('try', handler, value, path, env, stack, null);
    this.forks.push(fork);
    return fork;
  }

  /** Leaves a guarded part with an output: errors of what comes after are not its errors. */
  exitTry(fork: Fork): void {
    if (this.forks.at(-1) === fork) {
      this.forks.pop();
      return;
    }
    this.forks.push(new Fork('exit', null, null, null, this.env, null, fork));
  }

  /** The number of forks now, for {@link cut}. */
  get mark(): number {
    return this.forks.length;
  }

  /** Forgets every fork after the mark, so that what made them gives no more outputs. */
  cut(mark: number): void {
    this.forks.length = mark;
  }

  private restore(fork: Fork): void {
    this.value = fork.value;
    this.path = fork.path;
    this.env = fork.env;
    this.stack = fork.stack;
    this.resumed = fork;
  }

  private backtrack(): Op | null {
    for (let fork = this.forks.pop(); fork !== undefined; fork = this.forks.pop()) {
      if (fork.kind !== 'resume') continue;
      this.restore(fork);
      return fork.op;
    }
    return null;
  }

  private recover(error: unknown): Op | null {
    if (error instanceof LabelToken) return this.breakTo(error);
    if (!(error instanceof Raised)) throw error;
    const left = new Set<unknown>();
    for (let fork = this.forks.pop(); fork !== undefined; fork = this.forks.pop()) {
      if (fork.kind === 'exit') left.add(fork.data);
      if (fork.kind !== 'try' || left.has(fork)) continue;
      this.restore(fork);
      this.value = error.value;
      return fork.op;
    }
    throw error;
  }

  /** Drops everything up to the label's fork. A label outside this machine gets the token thrown. */
  private breakTo(token: LabelToken): Op | null {
    for (let fork = this.forks.pop(); fork !== undefined; fork = this.forks.pop()) {
      if (fork.kind === 'label' && fork.data === token) return null;
    }
    throw token;
  }
}
