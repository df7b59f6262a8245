import type { Range } from '../syntax/range.js';
import type { JsonArray, JsonObject, JsonValue } from '../values/json.js';
import type { Code, Emit } from './code.js';
import type { Context } from './context.js';
import type { Machine, Op } from './machine.js';
import { cannotIterate, checkIteration, Path } from './path.js';
import { locate } from './strict.js';

/** `target[]`, or with `optional` `target[]?` */
export function iterateCode(target: Code, range: Range, optional: boolean): Code {
  const isContainer = (value: JsonValue, path: Path | null): value is JsonArray | JsonObject => {
    try {
      if (path !== null) checkIteration(path, value);
      if (typeof value === 'object' && value !== null) return true;
      return optional ? false : cannotIterate(value);
    } catch (error) {
      throw locate(error, range);
    }
  };
  const elements = (value: JsonValue, path: Path | null, context: Context, emit: Emit): boolean =>
    isContainer(value, path) && pushElements(value, path, context, emit);
  const { direct } = target;
  return {
    cardinality: 'many',
    bounded: target.bounded,
    direct: null,
    push: (value, path, env, emit) => {
      if (path !== null || direct === null) {
        return target.push(value, path, env, (found, foundPath) =>
          elements(found, foundPath, env.context, emit),
        );
      }
      const found = direct(value, env);
      return found === undefined ? false : elements(found, null, env.context, emit);
    },
    link: (next) => {
      const each = linkElements(next);
      return target.link((machine) => (isContainer(machine.value, machine.path) ? each(machine) : null));
    },
  };
}

/** Hands over the elements of an array or the values of an object, in their order. */
function pushElements(
  container: JsonArray | JsonObject,
  path: Path | null,
  context: Context,
  emit: Emit,
): boolean {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      context.step();
      const element = container[index] ?? null;
      if (emit(element, path === null ? null : new Path(path, index, element))) return true;
    }
    return false;
  }
  for (const key of Object.keys(container)) {
    context.step();
    const element = container[key] ?? null;
    if (emit(element, path === null ? null : new Path(path, key, element))) return true;
  }
  return false;
}

interface Position {
  readonly keys: readonly string[] | null;
  readonly size: number;
  next: number;
}

/** Machine form of {@link pushElements} for the value register, which must be a container. */
function linkElements(next: Op): Op {
  const advance = (machine: Machine, position: Position): Op => {
    const container = machine.value as JsonArray & JsonObject;
    const key = position.keys === null ? position.next : position.keys[position.next]!;
    position.next++;
    const element = (container[key as number] ?? null) as JsonValue;
    if (machine.path !== null) machine.path = new Path(machine.path, key, element);
    machine.value = element;
    return next;
  };
  const resume: Op = (machine) => {
    const fork = machine.resumed!;
    const position = fork.data as Position;
    if (position.next + 1 < position.size) machine.refork(fork);
    return advance(machine, position);
  };
  return (machine) => {
    const container = machine.value as JsonArray | JsonObject;
    const keys = Array.isArray(container) ? null : Object.keys(container);
    const size = keys === null ? (container as JsonArray).length : keys.length;
    if (size === 0) return null;
    const position: Position = { keys, size, next: 0 };
    if (size > 1) machine.fork(resume, position);
    return advance(machine, position);
  };
}

/** `..`: the value, then everything in it, depth first, without native recursion. */
export const recurseCode: Code = {
  cardinality: 'many',
  bounded: true,
  direct: null,
  push: (value, path, env, emit) => {
    if (path !== null && typeof value === 'object' && value !== null) checkIteration(path, value);
    const pending: { value: JsonValue; path: Path | null }[] = [{ value, path }];
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      env.context.step();
      if (emit(entry.value, entry.path)) return true;
      if (typeof entry.value !== 'object' || entry.value === null) continue;
      const from = pending.length;
      pushElements(entry.value, entry.path, env.context, (element, elementPath) => {
        pending.push({ value: element, path: elementPath });
        return false;
      });
      reverseFrom(pending, from);
    }
    return false;
  },
  link: (next) => {
    const visit: Op = (machine) => {
      const { value } = machine;
      if (typeof value === 'object' && value !== null) machine.fork(children);
      return next;
    };
    const elements = linkElements(visit);
    const children: Op = (machine) => {
      if (machine.path !== null) checkIteration(machine.path, machine.value);
      return elements(machine);
    };
    return visit;
  },
};

function reverseFrom<T>(list: T[], from: number): void {
  for (let low = from, high = list.length - 1; low < high; low++, high--) {
    const kept = list[low]!;
    list[low] = list[high]!;
    list[high] = kept;
  }
}
