import { allBounded, type Code, combined, type Direct, linkWithPaths, type Push } from './code.js';
import type { Op } from './machine.js';

/** `a | b | …` */
export function pipeCode(stages: readonly Code[]): Code {
  const groups = groupDirect(stages);
  return groups.reduceRight((after, before) => pipePair(before, after));
}

/** Joins neighbouring stages with at most one output, so that long pipes do not nest deeply. */
function groupDirect(stages: readonly Code[]): Code[] {
  const groups: Code[][] = [];
  for (const stage of stages) {
    const last = groups.at(-1);
    const joins = stage.direct !== null && last?.at(-1)?.direct;
    if (last !== undefined && joins) last.push(stage);
    else groups.push([stage]);
  }
  return groups.map((group) => (group.length === 1 ? group[0]! : directPipe(group)));
}

function directPipe(stages: readonly Code[]): Code {
  const directs = stages.map((stage) => stage.direct!);
  const [first, second] = directs as [Direct, Direct];
  const direct: Direct =
    directs.length === 2
      ? (value, env) => {
          const middle = first(value, env);
          return middle === undefined ? undefined : second(middle, env);
        }
      : (value, env) => {
          let current = value;
          for (let index = 0; index < directs.length; index++) {
            const result = directs[index]!(current, env);
            if (result === undefined) return undefined;
            current = result;
          }
          return current;
        };
  const withPaths: Push = stages
    .map((stage) => stage.push)
    .reduceRight(
      (after, before) => (value, path, env, emit) =>
        before(value, path, env, (result, resultPath) => after(result, resultPath, env, emit)),
    );
  const bounded = allBounded(stages);
  const link = (next: Op): Op => stages.reduceRight((op, stage) => stage.link(op), next);
  return {
    cardinality: combined(stages),
    bounded,
    direct,
    push: (value, path, env, emit) => {
      if (path !== null) return withPaths(value, path, env, emit);
      const result = direct(value, env);
      return result === undefined ? false : emit(result, null);
    },
    link: bounded ? linkWithPaths(direct, link) : link,
  };
}

function pipePair(before: Code, after: Code): Code {
  return {
    cardinality: 'many',
    bounded: before.bounded && after.bounded,
    direct: null,
    push: pushPair(before, after),
    link: (next) => before.link(after.link(next)),
  };
}

function pushPair(before: Code, after: Code): Push {
  const first = before.direct;
  if (first !== null) {
    return (value, path, env, emit) => {
      if (path !== null) {
        return before.push(value, path, env, (result, resultPath) =>
          after.push(result, resultPath, env, emit),
        );
      }
      const result = first(value, env);
      return result === undefined ? false : after.push(result, null, env, emit);
    };
  }
  const second = after.direct;
  if (second === null) {
    return (value, path, env, emit) =>
      before.push(value, path, env, (result, resultPath) => after.push(result, resultPath, env, emit));
  }
  return (value, path, env, emit) =>
    before.push(value, path, env, (middle, middlePath) => {
      if (middlePath !== null) return after.push(middle, middlePath, env, emit);
      const result = second(middle, env);
      return result === undefined ? false : emit(result, null);
    });
}

/** `a, b, …` */
export function commaCode(items: readonly Code[]): Code {
  return {
    cardinality: 'many',
    bounded: allBounded(items),
    direct: null,
    push: (value, path, env, emit) => {
      for (let index = 0; index < items.length; index++) {
        if (items[index]!.push(value, path, env, emit)) return true;
      }
      return false;
    },
    link: (next) => {
      const ops = items.map((item) => item.link(next));
      const start = (index: number): Op => {
        const op = ops[index]!;
        if (index === ops.length - 1) return op;
        const following = starts[index + 1]!;
        return (machine) => {
          machine.fork(following);
          return op;
        };
      };
      const starts: Op[] = [];
      for (let index = ops.length - 1; index >= 0; index--) starts[index] = start(index);
      return starts[0]!;
    },
  };
}
