import { type Code, combined, computed, type Emit, lazily } from '../compile/code.js';
import type { Env } from '../compile/env.js';
import { recurseCode } from '../compile/iterate.js';
import type { Op } from '../compile/machine.js';
import type { Path } from '../compile/path.js';
import type { Node } from '../syntax/ast.js';
import { compareScalars } from '../values/compare.js';
import { describe } from '../values/describe.js';
import { isTruthy, type JsonValue } from '../values/json.js';
import { raise } from '../values/raise.js';
import { type Builtin, type BuiltinCall, type BuiltinTable, compileArguments } from './builtin.js';

/** What the native form of a stream function is made from. */
interface NativeCall {
  readonly args: readonly Code[];
  readonly call: BuiltinCall;
  /** The jq definition's code. */
  readonly defined: () => Code;
}

/**
 * A function with a native form for speed and a jq definition for the heap machine. The native form gives `direct`
 * or `push` or null where it does not apply.
 */
function native(
  key: string,
  definitions: () => ReadonlyMap<string, Builtin>,
  make: (native: NativeCall) => Partial<Code> | null,
): readonly [string, Builtin] {
  const builtin: Builtin = {
    compile: (call) => {
      const args = compileArguments(call);
      const defined = lazily(() => definitions().get(key)!.compile(call));
      const code = make({ args, call, defined });
      if (code === null) return defined();
      const bounded = args.every((arg) => arg.bounded);
      const base = code.direct
        ? computed(code.direct, code.cardinality === 'optional' ? 'optional' : 'one')
        : { cardinality: 'many' as const, direct: null };
      return { ...base, ...code, bounded, link: (next: Op) => defined().link(next) } as Code;
    },
  };
  return [key, builtin];
}

function rangeBound(value: JsonValue): number {
  return typeof value === 'number' ? value : raise('Range bounds must be numeric');
}

/** `range` with one to three arguments, the first varying slowest. */
function rangeCode(args: readonly Code[]): Partial<Code> {
  return {
    push: (value, path, env, emit) => {
      const count = (from: number, upto: number, by: number): boolean => {
        if (by > 0) {
          for (let at = from; at < upto; at += by) {
            env.context.step();
            if (emit(at, path)) return true;
          }
        } else if (by < 0) {
          for (let at = from; at > upto; at += by) {
            env.context.step();
            if (emit(at, path)) return true;
          }
        }
        return false;
      };
      const bounds = (index: number, values: readonly number[]): boolean => {
        if (index === args.length) {
          const [first, second, third] = values;
          return second === undefined ? count(0, first!, 1) : count(first!, second, third ?? 1);
        }
        return args[index]!.push(value, null, env, (bound) =>
          bounds(index + 1, [...values, rangeBound(bound)]),
        );
      };
      return bounds(0, []);
    },
  };
}

/** `first(f)`: stops `f` after one output. */
function firstCode(body: Code): Partial<Code> {
  if (body.direct !== null) return body;
  return {
    cardinality: 'optional',
    direct: (value, env) => {
      let found: JsonValue | undefined;
      body.push(value, null, env, (result) => {
        found = result;
        return true;
      });
      return found;
    },
    push: (value, path, env, emit) => pushAtMost(1, body, value, path, env, emit),
  };
}

/** Hands over the first outputs of `body` and stops it after the last wanted one. */
function pushAtMost(
  wanted: number,
  body: Code,
  value: JsonValue,
  path: Path | null,
  env: Env,
  emit: Emit,
): boolean {
  let given = 0;
  let stopped = false;
  body.push(value, path, env, (result, resultPath) => {
    given++;
    stopped = emit(result, resultPath);
    return stopped || given >= wanted;
  });
  return stopped;
}

/** `limit(count; f)`: stops `f` after the last wanted output. */
function limitCode(count: Code, body: Code): Partial<Code> {
  return {
    push: (value, path, env, emit) =>
      count.push(value, null, env, (limit) => {
        const wanted = countOf(limit, 'limit');
        if (wanted === null) return body.push(value, path, env, () => subtractOne(limit));
        return wanted > 0 && pushAtMost(Math.ceil(wanted), body, value, path, env, emit);
      }),
  };
}

function skipCode(count: Code, body: Code): Partial<Code> {
  return {
    push: (value, path, env, emit) =>
      count.push(value, null, env, (skipped) => {
        const wanted = countOf(skipped, 'skip');
        if (wanted === null) return body.push(value, path, env, () => subtractOne(skipped));
        let left = Math.floor(wanted);
        return body.push(value, path, env, (result, resultPath) =>
          left-- > 0 ? false : emit(result, resultPath),
        );
      }),
  };
}

/** A count from zero; null for what is greater than all numbers, which is refused once there is something to count. */
function countOf(count: JsonValue, name: string): number | null {
  if (compareScalars(count, 0) < 0) return raise(`${name} doesn't support negative count`);
  return typeof count === 'number' ? count : null;
}

const subtractOne = (count: JsonValue): never =>
  raise(`${describe(count)} and ${describe(1)} cannot be subtracted`);

/** `until(condition; next)` as a loop. */
function untilCode(condition: Code, next: Code): Partial<Code> | null {
  const done = condition.direct;
  const advance = next.direct;
  if (done === null || advance === null) return null;
  return {
    cardinality: combined([condition, next]),
    direct: (value, env) => {
      let current = value;
      for (;;) {
        env.context.step();
        const result = done(current, env);
        if (result === undefined) return undefined;
        if (isTruthy(result)) return current;
        const following = advance(current, env);
        if (following === undefined) return undefined;
        current = following;
      }
    },
  };
}

/** `while(condition; update)` as a loop. */
function whileCode(condition: Code, update: Code, defined: () => Code): Partial<Code> | null {
  const go = condition.direct;
  return go === null ? null : stepsCode(update, defined, (value, env) => isTruthy(go(value, env) ?? null));
}

/** `recurse(f)` as a loop where `f` has at most one output. */
function recurseOneCode(body: Code, defined: () => Code): Partial<Code> | null {
  return stepsCode(body, defined, () => true);
}

/** The input, what `next` makes of it, what it makes of that, …: outside path expressions, while `goesOn` holds. */
function stepsCode(
  next: Code,
  defined: () => Code,
  goesOn: (value: JsonValue, env: Env) => boolean,
): Partial<Code> | null {
  const advance = next.direct;
  if (advance === null) return null;
  return {
    push: (value, path, env, emit) => {
      if (path !== null) return defined().push(value, path, env, emit);
      for (
        let current: JsonValue | undefined = value;
        current !== undefined;
        current = advance(current, env)
      ) {
        env.context.step();
        if (!goesOn(current, env)) return false;
        if (emit(current, null)) return true;
      }
      return false;
    },
  };
}

function repeatCode(body: Code): Partial<Code> {
  return {
    push: (value, path, env, emit) => {
      for (;;) {
        env.context.step();
        if (body.push(value, path, env, emit)) return true;
      }
    },
  };
}

/** `any` (`decisive` true) and `all` (false) over a generator: stops at the first decisive condition. */
function quantifierCode(decisive: boolean, generator: Code, condition: Code): Partial<Code> {
  return {
    cardinality: 'one',
    direct: (value, env) => {
      let decided = false;
      generator.push(value, null, env, (item) =>
        condition.push(item, null, env, (result) => {
          decided = isTruthy(result) === decisive;
          return decided;
        }),
      );
      return decided ? decisive : !decisive;
    },
  };
}

/** Stands for "no output yet" in `last`. */
const absent = Symbol('absent') as unknown as JsonValue;

/** Functions that run their arguments as streams. */
export const streamBuiltins = (definitions: () => ReadonlyMap<string, Builtin>): BuiltinTable => [
  ['recurse/0', { compile: () => recurseCode }],
  ['internal::absent/0', { compile: () => computed(() => absent) }],
  [
    'internal::present/0',
    { compile: () => computed((value) => (value === absent ? undefined : value), 'optional') },
  ],
  ...(['range/1', 'range/2', 'range/3'] as const).map((key) =>
    native(key, definitions, ({ args }) => rangeCode(args)),
  ),
  native('first/1', definitions, ({ args: [body] }) => firstCode(body!)),
  native('limit/2', definitions, ({ args: [count, body] }) => limitCode(count!, body!)),
  native('skip/2', definitions, ({ args: [count, body] }) => skipCode(count!, body!)),
  native('until/2', definitions, ({ args: [condition, next] }) => untilCode(condition!, next!)),
  native('while/2', definitions, ({ args: [condition, update], defined }) =>
    whileCode(condition!, update!, defined),
  ),
  native('recurse/1', definitions, ({ args: [body], defined }) => recurseOneCode(body!, defined)),
  native('repeat/1', definitions, ({ args: [body] }) => repeatCode(body!)),
  native('any/2', definitions, ({ args: [generator, condition] }) =>
    quantifierCode(true, generator!, condition!),
  ),
  native('all/2', definitions, ({ args: [generator, condition] }) =>
    quantifierCode(false, generator!, condition!),
  ),
  [
    'first/0',
    { compile: ({ compiler, node, scope, height }) => compiler.compile(elementNode(node, 0), scope, height) },
  ],
  [
    'last/0',
    {
      compile: ({ compiler, node, scope, height }) => compiler.compile(elementNode(node, -1), scope, height),
    },
  ],
  [
    'nth/1',
    {
      compile: ({ compiler, node, scope, height }) => {
        const { range } = node;
        const target = { type: 'identity', range } as const;
        return compiler.compile({ type: 'index', target, key: node.arguments[0]!, range }, scope, height);
      },
    },
  ],
];

function elementNode({ range }: Node, position: number): Node {
  return {
    type: 'index',
    target: { type: 'identity', range },
    key: { type: 'literal', value: position, range },
    range,
  };
}
