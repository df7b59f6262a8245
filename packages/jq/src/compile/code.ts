import type { JsonValue } from '../values/json.js';
import type { Env } from './env.js';
import type { Machine, Op } from './machine.js';
import type { Path } from './path.js';

/** How many outputs an expression can have, errors aside. */
export type Cardinality = 'one' | 'optional' | 'many';

/** Computes the one output; `undefined` means there is none. */
export type Direct = (value: JsonValue, env: Env) => JsonValue | undefined;

/** Receives an output and its path; true asks to stop. */
export type Emit = (value: JsonValue, path: Path | null) => boolean;

/** Hands every output to `emit` in order; returns true when `emit` asked to stop. */
export type Push = (value: JsonValue, path: Path | null, env: Env, emit: Emit) => boolean;

/**
 * A compiled expression in up to three forms that mean the same. `direct` is the fastest and exists where at most
 * one output is possible. `push` runs loops on the native stack. `link` builds operations for the heap machine,
 * which runs everything lazily and to any depth; it is asked for only when needed.
 * Paths are tracked when `path` is not null.
 */
export interface Code {
  readonly cardinality: Cardinality;
  /** No recursive function is involved: native evaluation needs a stack no deeper than the source. */
  readonly bounded: boolean;
  readonly direct: Direct | null;
  readonly push: Push;
  readonly link: (next: Op) => Op;
  /** The value, where it is known before running. */
  readonly constant?: { readonly value: JsonValue };
  /** `.` itself. */
  readonly isIdentity?: boolean;
}

/** The weakest of several cardinalities. */
export function combined(codes: readonly Code[]): Cardinality {
  let result: Cardinality = 'one';
  for (const { cardinality } of codes) {
    if (cardinality === 'many') return 'many';
    if (cardinality === 'optional') result = 'optional';
  }
  return result;
}

export function allBounded(codes: readonly Code[]): boolean {
  return codes.every((code) => code.bounded);
}

/** The machine form of what `direct` computes: one operation. Only for bounded code outside path tracking. */
export function linkDirect(direct: Direct): (next: Op) => Op {
  return (next) => (machine) => {
    const result = direct(machine.value, machine.env);
    if (result === undefined) return null;
    machine.value = result;
    return next;
  };
}

/** Code of a bounded computation whose result is a new value, not a part of its input. */
export function computed(direct: Direct, cardinality: 'one' | 'optional' = 'one'): Code {
  return {
    cardinality,
    bounded: true,
    direct,
    push: (value, path, env, emit) => {
      const result = direct(value, env);
      return result === undefined ? false : emit(result, path);
    },
    link: linkDirect(direct),
  };
}

export function constant(value: JsonValue): Code {
  return { ...computed(() => value), constant: { value } };
}

/** Makes machine code on first use. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Machine code that takes the direct way where no path is tracked. */
export function linkWithPaths(direct: Direct, withPaths: (next: Op) => Op): (next: Op) => Op {
  return (next) => {
    const slow = lazily(() => withPaths(next));
    return (machine: Machine) => {
      if (machine.path !== null) return slow()(machine);
      const result = direct(machine.value, machine.env);
      if (result === undefined) return null;
      machine.value = result;
      return next;
    };
  };
}

/** The same code, taking a step from the budget each time it runs natively. */
export function meteredCode(code: Code): Code {
  if (code.constant !== undefined || code.isIdentity) return code;
  const { direct, push } = code;
  return {
    ...code,
    direct:
      direct === null
        ? null
        : (value, env) => {
            env.context.step();
            return direct(value, env);
          },
    push: (value, path, env, emit) => {
      env.context.step();
      return push(value, path, env, emit);
    },
  };
}
