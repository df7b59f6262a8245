import type { JsonValue } from '../values/json.js';
import { type Cardinality, type Code, lazily } from './code.js';
import { ancestor, type Env, extend } from './env.js';
import { Frame, functionReturn, Machine, type Op, output } from './machine.js';
import type { Path } from './path.js';
import { linkAside, linkOperands } from './strict.js';

/**
 * Native recursion allowed, in levels of nested expressions. A level takes a few native stack frames; deeper
 * recursion goes on in a machine, whose stack is on the heap.
 */
const nativeDepthLimit = 400;

/** Steps that a frame costs beyond its operation: endless recursion must end before memory does. */
const frameSteps = 3;

/** Something that is called: the body of a function, or an argument passed to one. */
export interface Callable {
  readonly code: Code;
  /** Levels of nested expressions in the body. */
  readonly weight: number;
  /** Machine form ending in `functionReturn`. */
  readonly entry: () => Op;
}

export function callable(code: Code, weight: number): Callable {
  return { code, weight, entry: lazily(() => code.link(functionReturn)) };
}

/** An argument at run time: what to run and the variables it sees. */
export class Closure {
  constructor(
    readonly callable: Callable,
    readonly env: Env,
  ) {}
}

/** A function that is called at run time instead of being expanded: recursive, or too large to repeat. */
export class FunctionCode implements Callable {
  code!: Code;
  weight = 1;
  readonly entry = lazily(() => this.code.link(functionReturn));
  /** What recursive calls assume of the body while it is being compiled. */
  cardinality: Cardinality = 'one';
}

/** Runs a callable in a machine of its own. */
function machineFor(target: Callable, value: JsonValue, path: Path | null, env: Env): Machine {
  const machine = new Machine(target.entry(), value, path, env);
  machine.stack = new Frame(null, output, env, null);
  return machine;
}

function callDirect(target: Callable, value: JsonValue, env: Env): JsonValue | undefined {
  const { context } = env;
  context.step();
  if (context.depth > nativeDepthLimit) {
    const machine = machineFor(target, value, null, env);
    return machine.next() ? machine.value : undefined;
  }
  context.depth += target.weight;
  const result = target.code.direct!(value, env);
  context.depth -= target.weight;
  return result;
}

function callPush(
  target: Callable,
  value: JsonValue,
  path: Path | null,
  env: Env,
  emit: (value: JsonValue, path: Path | null) => boolean,
): boolean {
  const { context } = env;
  context.step();
  if (context.depth > nativeDepthLimit) {
    const machine = machineFor(target, value, path, env);
    while (machine.next()) {
      if (emit(machine.value, machine.path)) return true;
    }
    return false;
  }
  context.depth += target.weight;
  const stopped = target.code.push(value, path, env, emit);
  context.depth -= target.weight;
  return stopped;
}

/** Machine form of a call; a call in tail position takes over the caller's frame. */
function enter(machine: Machine, target: Callable, env: Env, next: Op): Op {
  if (next !== functionReturn) {
    machine.env.context.charge(frameSteps);
    machine.stack = new Frame(machine.stack, next, machine.env, null);
  }
  machine.env = env;
  return target.entry();
}

/** A parameter's argument: a closure, or for `$name` parameters a value computed before the call. */
export type Argument =
  | { readonly kind: 'closure'; readonly make: (env: Env) => Closure }
  | { readonly kind: 'value'; readonly code: Code };

/**
 * A call of a {@link FunctionCode} whose definition's environment is `levels` cells up. Value arguments must have at
 * most one output.
 */
export function callCode(target: FunctionCode, args: readonly Argument[], levels: number): Code {
  const values = args.flatMap((arg) => (arg.kind === 'value' ? [arg.code] : []));
  const calleeEnv = (env: Env, computedValues: readonly JsonValue[]): Env => {
    let callee = ancestor(env, levels);
    let position = 0;
    for (const arg of args) {
      const cell = arg.kind === 'value' ? computedValues[position++] : arg.make(env);
      callee = extend(callee, cell);
    }
    return callee;
  };
  const computeValues = (value: JsonValue, env: Env): JsonValue[] | undefined => {
    const results: JsonValue[] = [];
    for (const code of values) {
      const result = code.direct!(value, env);
      if (result === undefined) return undefined;
      results.push(result);
    }
    return results;
  };
  const hasOptional = values.some((code) => code.cardinality === 'optional');
  const cardinality = target.cardinality === 'one' && hasOptional ? 'optional' : target.cardinality;
  return {
    cardinality,
    bounded: false,
    direct:
      cardinality === 'many'
        ? null
        : (value, env) => {
            const results = computeValues(value, env);
            return results === undefined ? undefined : callDirect(target, value, calleeEnv(env, results));
          },
    push: (value, path, env, emit) => {
      const results = computeValues(value, env);
      return results === undefined ? false : callPush(target, value, path, calleeEnv(env, results), emit);
    },
    link: (next) => {
      const invoke = (machine: Machine, results: readonly JsonValue[]): Op =>
        enter(machine, target, calleeEnv(machine.env, results), next);
      if (values.length === 0) return (machine) => invoke(machine, []);
      if (values.length === 1) return linkAside(values[0]!, (machine, result) => invoke(machine, [result]));
      return linkOperands(values, invoke);
    },
  };
}

/** A call of a closure parameter `levels` cells up. Nothing is known about it before running. */
export function closureCallCode(levels: number): Code {
  const find = (env: Env): Closure => ancestor(env, levels).value as Closure;
  return {
    cardinality: 'many',
    bounded: false,
    direct: null,
    push: (value, path, env, emit) => {
      const closure = find(env);
      return callPush(closure.callable, value, path, closure.env, emit);
    },
    link: (next) => (machine) => {
      const closure = find(machine.env);
      return enter(machine, closure.callable, closure.env, next);
    },
  };
}
