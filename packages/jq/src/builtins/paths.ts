import { identity } from '../compile/access.js';
import { type Code, computed } from '../compile/code.js';
import type { Context } from '../compile/context.js';
import { Frame, type Op } from '../compile/machine.js';
import { checkAccess, finishPath, Path, rootPath } from '../compile/path.js';
import { linkAside, locate, strict } from '../compile/strict.js';
import { getIndex } from '../values/access.js';
import type { JsonArray, JsonValue } from '../values/json.js';
import { checkPath, deletePaths, getPath, setPath } from '../values/path-values.js';
import { raise } from '../values/raise.js';
import { Updater } from '../values/updater.js';
import { type Builtin, type BuiltinTable, compileArguments, valueBuiltin, valueTable } from './builtin.js';

/** `path(f)`: runs `f` with path tracking and gives the keys. */
function pathCode(body: Code, range: Parameters<typeof locate>[1]): Code {
  const finish = (path: Path, value: JsonValue, context: Context): JsonArray => {
    try {
      return finishPath(path, value, context);
    } catch (error) {
      throw locate(error, range);
    }
  };
  const link = (next: Op): Op => {
    const receive: Op = (machine) => {
      const frame = machine.stack!;
      const result = finish(machine.path!, machine.value, machine.env.context);
      machine.stack = frame.up;
      machine.path = frame.a as Path | null;
      machine.value = result;
      return next;
    };
    const bodyOp = body.link(receive);
    return (machine) => {
      machine.stack = new Frame(machine.stack, machine.path, null, null);
      machine.path = rootPath(machine.value);
      return bodyOp;
    };
  };
  const push: Code['push'] = (value, path, env, emit) =>
    body.push(value, rootPath(value), env, (result, resultPath) =>
      emit(finish(resultPath!, result, env.context), path),
    );
  const { bounded, cardinality } = body;
  if (cardinality === 'many') return { cardinality, bounded, direct: null, push, link };
  const code = computed((value, env) => {
    let keys: JsonArray | undefined;
    body.push(value, rootPath(value), env, (result, resultPath) => {
      keys = finish(resultPath!, result, env.context);
      return true;
    });
    return keys;
  }, cardinality);
  return bounded ? code : { ...code, bounded, link };
}

/** `getpath(path)`, which path expressions can follow. */
function getPathCode(argument: Code, range: Parameters<typeof locate>[1]): Code {
  const follow = (value: JsonValue, path: Path, keys: JsonValue, context: Context): Path => {
    let step = path;
    try {
      checkPath(keys).forEach((key, position) => {
        if (position === 0) checkAccess(path, value, key);
        step = new Path(step, key, getIndex(step.value, key, context));
      });
    } catch (error) {
      throw locate(error, range);
    }
    return step;
  };
  const code = strict(
    [argument, identity],
    ([keys, input], context) => getPath(input!, keys!, context),
    range!,
  );
  const link = (next: Op): Op =>
    linkAside(argument, (machine, keys) => {
      if (machine.path === null) machine.value = getPath(machine.value, keys, machine.env.context);
      else {
        machine.path = follow(machine.value, machine.path, keys, machine.env.context);
        machine.value = machine.path.value;
      }
      return next;
    });
  return {
    ...code,
    push: (value, path, env, emit) => {
      if (path === null) return code.push(value, null, env, emit);
      return argument.push(value, null, env, (keys) => {
        const step = follow(value, path, keys, env.context);
        return emit(step.value, step);
      });
    },
    link,
  };
}

/** The updater of a running assignment. It is lost where the target catches an error of the update. */
function updaterOf(input: JsonValue): Updater {
  const state: unknown = input;
  return state instanceof Updater ? state : raise('Paths must be specified as an array');
}

/** The steps of an assignment; see `assignmentCode`. The input of each is the updater. */
const updaterBuiltins: BuiltinTable = [
  [
    'internal::updater/0',
    { compile: () => computed((value, env) => new Updater(value, env.context) as unknown as JsonValue) },
  ],
  ['internal::get/1', valueBuiltin((input, [path]) => updaterOf(input).get(path!), false)],
  [
    'internal::put/2',
    valueBuiltin((input, [path, value]) => {
      updaterOf(input).put(path!, value!);
      return input;
    }, false),
  ],
  [
    'internal::putFirst/2',
    valueBuiltin((input, [path, first]) => {
      const values = first as JsonArray;
      if (values.length > 0) updaterOf(input).put(path!, values[0]!);
      else updaterOf(input).deleteLater(path!);
      return input;
    }, false),
  ],
  ['internal::finish/0', valueBuiltin((input) => updaterOf(input).finish(), false)],
];

const pathBuiltin: Builtin = {
  compile: (call) => pathCode(compileArguments(call)[0]!, call.node.range),
};

/** Functions of paths. */
export const pathBuiltins: BuiltinTable = [
  ['path/1', pathBuiltin],
  ['getpath/1', { compile: (call) => getPathCode(compileArguments(call)[0]!, call.node.range) }],
  ...valueTable({
    'setpath/2': (input, [path, value], context) => setPath(input, path!, value!, context),
    'delpaths/1': (input, [paths], context) => deletePaths(input, paths!, context),
  }),
  ...updaterBuiltins,
];
