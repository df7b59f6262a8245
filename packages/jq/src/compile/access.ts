import type { Range } from '../syntax/range.js';
import { getIndex, getSlice } from '../values/access.js';
import type { JsonValue } from '../values/json.js';
import { Raised } from '../values/raise.js';
import { allBounded, type Code, combined, constant, type Direct, linkWithPaths } from './code.js';
import type { Context } from './context.js';
import { Frame, type Machine, type Op } from './machine.js';
import { checkAccess, Path } from './path.js';
import { linkAside, linkOperands, locate } from './strict.js';

/** `.` */
export const identity: Code = {
  cardinality: 'one',
  bounded: true,
  isIdentity: true,
  direct: (value) => value,
  push: (value, path, _env, emit) => emit(value, path),
  link: (next) => next,
};

interface Access {
  readonly get: (target: JsonValue, keys: readonly JsonValue[], context: Context) => JsonValue;
  /** The key as paths show it. */
  readonly pathKey: (keys: readonly JsonValue[]) => JsonValue;
  readonly range: Range;
  /** What cannot be accessed has no output. */
  readonly optional: boolean;
}

type Get = (target: JsonValue, keys: readonly JsonValue[], context: Context) => JsonValue | undefined;

/** Runs an access: undefined where it fails and is optional. */
function attempt(get: () => JsonValue, range: Range, optional: boolean): JsonValue | undefined {
  try {
    return get();
  } catch (error) {
    if (optional && error instanceof Raised) return undefined;
    throw locate(error, range);
  }
}

/** `target[key]`, or with `optional` `target[key]?` */
export function indexCode(target: Code, key: Code, range: Range, optional = false): Code {
  const code = accessCode(target, [key], {
    get: (value, [name], context) => getIndex(value, name!, context),
    pathKey: ([name]) => name!,
    range,
    optional,
  });
  const name = key.constant?.value;
  if (typeof name !== 'string' || target.direct === null) return code;
  const direct = fieldDirect(target, name, range, optional);
  return { ...code, direct, link: target.bounded ? linkWithPaths(direct, code.link) : code.link };
}

/** `.name` with as little between the value and its property as possible. */
function fieldDirect(target: Code, name: string, range: Range, optional: boolean): Direct {
  // In a function of its own, because one that makes closures costs more to call.
  const fail: Direct = (value, { context }) => attempt(() => getIndex(value, name, context), range, optional);
  const ownField: Direct = (value, env) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    }
    if (value === null || value === undefined) return null;
    return fail(value, env);
  };
  if (target.isIdentity) return ownField;
  const inner = target.direct!;
  return (value, env) => {
    const object = inner(value, env);
    return object === undefined ? undefined : ownField(object, env);
  };
}

/** `target[from:to]`, or with `optional` `target[from:to]?` */
export function sliceCode(
  target: Code,
  from: Code | null,
  to: Code | null,
  range: Range,
  optional: boolean,
): Code {
  const ends = [from ?? constant(null), to ?? constant(null)];
  return accessCode(target, ends, {
    get: (value, [start, end], context) => getSlice(value, start!, end!, context),
    pathKey: ([start, end]) => ({ start: start!, end: end! }),
    range,
    optional,
  });
}

/** Following a path step whose keys are expressions; keys vary slower than the target. */
function accessCode(target: Code, keys: readonly Code[], access: Access): Code {
  const operands = [...keys, target];
  const inner = combined(operands);
  const cardinality = access.optional && inner === 'one' ? 'optional' : inner;
  const bounded = allBounded(operands);
  const get: Get = (value, keyValues, context) =>
    attempt(() => access.get(value, keyValues, context), access.range, access.optional);
  const step = (
    value: JsonValue,
    path: Path,
    keyValues: readonly JsonValue[],
    context: Context,
  ): Path | undefined => {
    const key = access.pathKey(keyValues);
    checkAccess(path, value, key);
    const found = get(value, keyValues, context);
    return found === undefined ? undefined : new Path(path, key, found);
  };
  const push: Code['push'] = (value, path, env, emit) => {
    const visit = (index: number, keyValues: readonly JsonValue[]): boolean => {
      if (index < keys.length) {
        return keys[index]!.push(value, null, env, (key) => visit(index + 1, [...keyValues, key]));
      }
      return target.push(value, path, env, (object, objectPath) => {
        if (objectPath === null) {
          const found = get(object, keyValues, env.context);
          return found === undefined ? false : emit(found, null);
        }
        const found = step(object, objectPath, keyValues, env.context);
        return found === undefined ? false : emit(found.value, found);
      });
    };
    return visit(0, []);
  };
  const follow = (machine: Machine, keyValues: readonly JsonValue[]): boolean => {
    const { value, path, env } = machine;
    const foundPath = path === null ? undefined : step(value, path, keyValues, env.context);
    const found = path === null ? get(value, keyValues, env.context) : foundPath?.value;
    if (found === undefined) return false;
    machine.path = foundPath ?? null;
    machine.value = found;
    return true;
  };
  const link = (next: Op): Op => linkAccess(target, keys, follow, next);
  if (cardinality === 'many') return { cardinality, bounded, direct: null, push, link };
  const direct = accessDirect(target.direct!, keys, get);
  return { cardinality, bounded, direct, push, link: bounded ? linkWithPaths(direct, link) : link };
}

function accessDirect(target: Direct, keys: readonly Code[], get: Get): Direct {
  const directs = keys.map((key) => key.direct!);
  const fixed = keys.every((key) => key.constant !== undefined)
    ? keys.map((key) => key.constant!.value)
    : null;
  return (value, env) => {
    let keyValues = fixed;
    if (keyValues === null) {
      keyValues = [];
      for (const direct of directs) {
        const key = direct(value, env);
        if (key === undefined) return undefined;
        keyValues.push(key);
      }
    }
    const object = target(value, env);
    return object === undefined ? undefined : get(object, keyValues, env.context);
  };
}

function linkAccess(
  target: Code,
  keys: readonly Code[],
  follow: (machine: Machine, keyValues: readonly JsonValue[]) => boolean,
  next: Op,
): Op {
  const finish: Op = (machine) => {
    const frame = machine.stack!;
    machine.stack = frame.up;
    return follow(machine, frame.a as JsonValue[]) ? next : null;
  };
  const targetOp = target.link(finish);
  const begin = (machine: Machine, keyValues: JsonValue[]): Op => {
    machine.stack = new Frame(machine.stack, keyValues, null, null);
    return targetOp;
  };
  if (keys.length === 1) return linkAside(keys[0]!, (machine, key) => begin(machine, [key]));
  return linkOperands(keys, begin);
}
