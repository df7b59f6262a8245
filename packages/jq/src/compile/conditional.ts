import { isTruthy } from '../values/json.js';
import { allBounded, type Cardinality, type Code, combined, type Direct, linkWithPaths } from './code.js';
import { Frame, type Op } from './machine.js';
import { linkAside } from './strict.js';

/** `if condition then … else … end`; several conditions give several results. */
export function ifCode(condition: Code, then: Code, otherwise: Code): Code {
  if (condition.constant !== undefined) return isTruthy(condition.constant.value) ? then : otherwise;
  const bounded = allBounded([condition, then, otherwise]);
  const cardinality = combined([condition, then, otherwise]);
  const link = (next: Op): Op => {
    const whenTrue = then.link(next);
    const whenFalse = otherwise.link(next);
    return linkAside(condition, (_machine, result) => (isTruthy(result) ? whenTrue : whenFalse));
  };
  const decide = condition.direct;
  if (decide === null) {
    return {
      cardinality,
      bounded,
      direct: null,
      push: (value, path, env, emit) =>
        condition.push(value, null, env, (result) => {
          const branch = isTruthy(result) ? then : otherwise;
          return branch.push(value, path, env, emit);
        }),
      link,
    };
  }
  const push: Code['push'] = (value, path, env, emit) => {
    const result = decide(value, env);
    if (result === undefined) return false;
    const branch = isTruthy(result) ? then : otherwise;
    return branch.push(value, path, env, emit);
  };
  if (cardinality === 'many') return { cardinality, bounded, direct: null, push, link };
  const yes = then.direct!;
  const no = otherwise.direct!;
  const direct: Direct = (value, env) => {
    const result = decide(value, env);
    if (result === undefined) return undefined;
    return result !== false && result !== null ? yes(value, env) : no(value, env);
  };
  return { cardinality, bounded, direct, push, link: bounded ? linkWithPaths(direct, link) : link };
}

/** `left // right`: the outputs of `left` that are neither false nor null, or else those of `right`. */
export function alternativeCode(left: Code, right: Code): Code {
  const bounded = allBounded([left, right]);
  const cardinality: Cardinality = left.cardinality === 'many' ? 'many' : right.cardinality;
  const link = (next: Op): Op => {
    const otherwise = right.link(next);
    const check: Op = (machine) => {
      if (!isTruthy(machine.value)) return null;
      const frame = machine.stack!;
      (frame.a as { found: boolean }).found = true;
      machine.stack = frame.up;
      return next;
    };
    const leftOp = left.link(check);
    const afterLeft: Op = (machine) =>
      (machine.resumed!.data as { found: boolean }).found ? null : otherwise;
    return (machine) => {
      const state = { found: false };
      machine.fork(afterLeft, state);
      machine.stack = new Frame(machine.stack, state, null, null);
      return leftOp;
    };
  };
  const push: Code['push'] = (value, path, env, emit) => {
    let found = false;
    const stopped = left.push(value, path, env, (result, resultPath) => {
      if (!isTruthy(result)) return false;
      found = true;
      return emit(result, resultPath);
    });
    return stopped || (!found && right.push(value, path, env, emit));
  };
  if (cardinality === 'many') return { cardinality, bounded, direct: null, push, link };
  const first = left.direct!;
  const second = right.direct!;
  const direct: Direct = (value, env) => {
    const result = first(value, env);
    return result === undefined || result === null || result === false ? second(value, env) : result;
  };
  return { cardinality, bounded, direct, push, link: bounded ? linkWithPaths(direct, link) : link };
}
