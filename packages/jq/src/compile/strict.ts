import type { Range } from '../syntax/range.js';
import type { JsonValue } from '../values/json.js';
import { Raised } from '../values/raise.js';
import {
  allBounded,
  type Code,
  combined,
  computed,
  constant,
  type Direct,
  linkDirect,
  type Push,
} from './code.js';
import type { Context } from './context.js';
import { Frame, type Machine, type Op } from './machine.js';
import type { Path } from './path.js';

/** Computes a result from the values of all operands. */
export type Apply = (operands: readonly JsonValue[], context: Context) => JsonValue;

/** Adds the place of the operation to an error that has none yet. */
export function locate(error: unknown, range: Range | undefined): unknown {
  if (error instanceof Raised) error.range ??= range;
  return error;
}

/**
 * Code of an operation that needs all its operands: the outputs are those of every combination. The first operand
 * varies slowest. `pure` operations on constants are computed now, unless they fail.
 */
export function strict(operands: readonly Code[], apply: Apply, range: Range, pure = true): Code {
  const checked: Apply = (values, context) => {
    try {
      return apply(values, context);
    } catch (error) {
      throw locate(error, range);
    }
  };
  if (pure && operands.length > 0 && operands.every((operand) => operand.constant !== undefined)) {
    const folded = fold(operands, apply);
    if (folded !== undefined) return constant(folded);
  }
  const cardinality = combined(operands);
  const bounded = allBounded(operands);
  const link = (next: Op): Op =>
    linkOperands(operands, (machine, values) => {
      machine.value = checked(values, machine.env.context);
      return next;
    });
  if (cardinality === 'many') {
    return { cardinality, bounded, direct: null, push: pushOperands(operands, checked), link };
  }
  const direct = directOperands(operands, checked);
  const code = computed(direct, cardinality);
  return bounded ? { ...code, link: linkDirect(direct) } : { ...code, bounded, link };
}

const free = () => {};

/** A context for folding: constants must not depend on a run. Anything that needs more is left to run time. */
const foldingContext = {
  charge: free,
  step: free,
  chargeCopies: free,
  chargeText: free,
  chargeVisits: free,
} as unknown as Context;

function fold(operands: readonly Code[], apply: Apply): JsonValue | undefined {
  const values = operands.map((operand) => operand.constant!.value);
  // Long strings and arrays are cheap to build at run time and expensive to build for nothing.
  if (values.some((value) => typeof value === 'object' && value !== null)) return undefined;
  try {
    const result = apply(values, foldingContext);
    return typeof result === 'string' && result.length > 1000 ? undefined : result;
  } catch {
    return undefined;
  }
}

function directOperands(operands: readonly Code[], apply: Apply): Direct {
  const directs = operands.map((operand) => operand.direct!);
  const [first, second] = directs;
  if (directs.length === 1) {
    return (value, env) => {
      const a = first!(value, env);
      return a === undefined ? undefined : apply([a], env.context);
    };
  }
  if (directs.length === 2) {
    return (value, env) => {
      const a = first!(value, env);
      if (a === undefined) return undefined;
      const b = second!(value, env);
      return b === undefined ? undefined : apply([a, b], env.context);
    };
  }
  return (value, env) => {
    const values: JsonValue[] = new Array(directs.length);
    for (let index = 0; index < directs.length; index++) {
      const operand = directs[index]!(value, env);
      if (operand === undefined) return undefined;
      values[index] = operand;
    }
    return apply(values, env.context);
  };
}

function pushOperands(operands: readonly Code[], apply: Apply): Push {
  return (value, path, env, emit) => {
    const collect = (index: number, values: readonly JsonValue[]): boolean => {
      if (index === operands.length) return emit(apply(values, env.context), path);
      return operands[index]!.push(value, null, env, (operand) => collect(index + 1, [...values, operand]));
    };
    return collect(0, []);
  };
}

/** Operands so far, in a list that backtracking can share. */
interface Operands {
  readonly rest: Operands | null;
  readonly value: JsonValue;
}

/** Machine form: evaluates the operands outside path tracking, then `finish` with the input restored. */
export function linkOperands(
  operands: readonly Code[],
  finish: (machine: Machine, values: JsonValue[]) => Op | null,
): Op {
  let op: Op = (machine) => {
    const frame = machine.stack!;
    const values: JsonValue[] = new Array(operands.length);
    let list = frame.c as Operands | null;
    for (let index = operands.length - 1; index >= 0; index--) {
      values[index] = list!.value;
      list = list!.rest;
    }
    machine.stack = frame.up;
    machine.path = frame.b as Path | null;
    return finish(machine, values);
  };
  for (let index = operands.length - 1; index >= 0; index--) {
    const following = op;
    const store: Op = (machine) => {
      const { up, a, b, c } = machine.stack!;
      const list: Operands = { rest: c as Operands | null, value: machine.value };
      machine.stack = new Frame(up, a, b, list);
      machine.value = a as JsonValue;
      return following;
    };
    op = operands[index]!.link(store);
  }
  const start = op;
  return (machine) => {
    machine.stack = new Frame(machine.stack, machine.value, machine.path, null);
    machine.path = null;
    return start;
  };
}

/** Machine form: evaluates `code` outside path tracking and calls `use` with each output, the input restored. */
export function linkAside(code: Code, use: (machine: Machine, result: JsonValue) => Op | null): Op {
  const receive: Op = (machine) => {
    const frame = machine.stack!;
    const result = machine.value;
    machine.stack = frame.up;
    machine.value = frame.a as JsonValue;
    machine.path = frame.b as Path | null;
    return use(machine, result);
  };
  if (code.bounded && code.direct !== null) {
    const { direct } = code;
    return (machine) => {
      const result = direct(machine.value, machine.env);
      return result === undefined ? null : use(machine, result);
    };
  }
  const inner = code.link(receive);
  return (machine) => {
    machine.stack = new Frame(machine.stack, machine.value, machine.path, null);
    machine.path = null;
    return inner;
  };
}
