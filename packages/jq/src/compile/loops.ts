import type { JsonValue } from '../values/json.js';
import { allBounded, type Code, type Direct, linkWithPaths } from './code.js';
import { type Env, extend } from './env.js';
import { Frame, type Machine, type Op } from './machine.js';
import type { Path } from './path.js';

/** The changing state of a loop, shared by all its iterations. */
interface Cell {
  state: JsonValue;
}

/**
 * `reduce source as $item (init; update)`; `update` is compiled with `$item` in one more cell. An update with several
 * outputs leaves the last one, an update without any leaves null.
 */
export function reduceCode(source: Code, init: Code, update: Code): Code {
  const bounded = allBounded([source, init, update]);
  const run = (value: JsonValue, path: Path | null, env: Env, initial: JsonValue): JsonValue => {
    let state = initial;
    const change = update.direct;
    source.push(value, path, env, (item, itemPath) => {
      const scope = extend(env, item);
      // The state is taken away while it changes: an update that fails or gives nothing leaves null.
      const before = state;
      state = null;
      if (change !== null && itemPath === null) {
        state = change(before, scope) ?? null;
        return false;
      }
      return update.push(before, itemPath, scope, (after) => {
        state = after;
        return false;
      });
    });
    return state;
  };
  const push: Code['push'] = (value, path, env, emit) =>
    init.push(value, path, env, (initial, initPath) => emit(run(value, initPath, env, initial), initPath));
  const link = (next: Op): Op => linkReduce(source, init, update, next);
  if (init.direct === null) return { cardinality: 'many', bounded, direct: null, push, link };
  const begin = init.direct;
  const direct: Direct = (value, env) => {
    const initial = begin(value, env);
    return initial === undefined ? undefined : run(value, null, env, initial);
  };
  return {
    cardinality: init.cardinality,
    bounded,
    direct,
    push,
    link: bounded ? linkWithPaths(direct, link) : link,
  };
}

function linkReduce(source: Code, init: Code, update: Code, next: Op): Op {
  const rounds = linkRounds(source, update, null);
  const finish: Op = (machine) => {
    machine.value = (machine.resumed!.data as Cell).state;
    return next;
  };
  return linkInit(init, (machine, cell) => {
    machine.fork(finish, cell);
    return rounds;
  });
}

/** For each item of `source`: the update of the state, whose cell is on the stack, and what comes behind it. */
function linkRounds(source: Code, update: Code, behind: Op | null): Op {
  const store: Op = (machine) => {
    (machine.stack!.a as Cell).state = machine.value;
    return behind;
  };
  const updateOp = update.link(store);
  return source.link((machine) => {
    const cell = machine.stack!.a as Cell;
    machine.env = extend(machine.env, machine.value);
    machine.value = cell.state;
    cell.state = null;
    return updateOp;
  });
}

/**
 * The start of a loop: for each output of `init` a cell on the stack, with the input restored. A path that `init`
 * follows stays, as in jq.
 */
function linkInit(init: Code, begin: (machine: Machine, cell: Cell) => Op): Op {
  const receive: Op = (machine) => {
    const { up, a } = machine.stack!;
    const cell: Cell = { state: machine.value };
    machine.stack = up;
    machine.value = a as JsonValue;
    const op = begin(machine, cell);
    machine.stack = new Frame(up, cell, null, null);
    return op;
  };
  const initOp = init.link(receive);
  return (machine) => {
    machine.stack = new Frame(machine.stack, machine.value, null, null);
    return initOp;
  };
}

/**
 * `foreach source as $item (init; update; extract)`; `update` and `extract` are compiled with `$item` in one more cell.
 */
export function foreachCode(source: Code, init: Code, update: Code, extract: Code): Code {
  return {
    cardinality: 'many',
    bounded: allBounded([source, init, update, extract]),
    direct: null,
    push: (value, path, env, emit) =>
      init.push(value, path, env, (initial, initPath) => {
        let state = initial;
        return source.push(value, initPath, env, (item, itemPath) => {
          const scope = extend(env, item);
          const before = state;
          state = null;
          return update.push(before, itemPath, scope, (after, afterPath) => {
            state = after;
            return extract.push(after, afterPath, scope, emit);
          });
        });
      }),
    link: (next) => linkForeach(source, init, update, extract, next),
  };
}

function linkForeach(source: Code, init: Code, update: Code, extract: Code, next: Op): Op {
  const leave: Op = (machine) => {
    machine.env = machine.env.up!;
    machine.stack = machine.stack!.up;
    return next;
  };
  const rounds = linkRounds(source, update, extract.link(leave));
  return linkInit(init, () => rounds);
}
