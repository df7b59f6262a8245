import type { AssignmentOperator, Node, Reduce } from '../syntax/ast.js';
import { operations } from '../values/arithmetic.js';
import { isTruthy, type JsonValue } from '../values/json.js';
import { Updater } from '../values/updater.js';
import { allBounded, type Code, type Direct, linkWithPaths } from './code.js';
import { type Env, extend } from './env.js';
import { usesInput } from './uses-input.js';

/** One change of the state: `.key.key operator value`. The path and the value do not depend on the state. */
interface Change {
  readonly keys: readonly Node[];
  readonly operator: AssignmentOperator;
  readonly value: Node;
}

/**
 * The changes an update makes, if it only changes its state: `. + …`, `.[$key] = …`, `.a.b += …`, and pipes of these.
 * Nothing else sees the state while such a loop runs, so what the loop has made may be changed in place, and building
 * a value element by element takes linear time. Null for any other update.
 */
function changesOf(update: Node): Change[] | null {
  if (update.type === 'pipe') {
    const changes: Change[] = [];
    for (const stage of update.stages) {
      const found = changesOf(stage);
      if (found === null) return null;
      changes.push(...found);
    }
    return changes;
  }
  if (update.type === 'binary' && update.operator === '+' && update.left.type === 'identity') {
    return usesInput(update.right) ? null : [{ keys: [], operator: '+=', value: update.right }];
  }
  if (update.type !== 'assignment') return null;
  const keys: Node[] = [];
  let target: Node = update.target;
  while (target.type === 'index') {
    keys.unshift(target.key);
    target = target.target;
  }
  if (target.type !== 'identity' || keys.some(usesInput)) return null;
  // The value of `|=` has the old element as its input, not the state.
  if (update.operator !== '|=' && usesInput(update.value)) return null;
  return [{ keys, operator: update.operator, value: update.value }];
}

interface ChangeCode {
  readonly keys: readonly Direct[];
  readonly operator: AssignmentOperator;
  readonly value: Direct;
}

/**
 * A faster native form of a `reduce` whose update only changes its state, or null where that does not hold. `general`
 * is the code for path expressions and the heap machine; `compile` compiles a node of the update.
 */
export function reduceInPlace(
  node: Reduce,
  source: Code,
  init: Code,
  general: Code,
  compile: (node: Node) => Code,
): Code | null {
  const changes = changesOf(node.update);
  const begin = init.direct;
  if (changes === null || begin === null) return null;
  const parts = changes.map((change) => ({ keys: change.keys.map(compile), value: compile(change.value) }));
  const all = parts.flatMap(({ keys, value }) => [...keys, value]);
  if (all.some((code) => code.cardinality !== 'one') || !allBounded(all)) return null;
  const codes: ChangeCode[] = changes.map(({ operator }, index) => ({
    keys: parts[index]!.keys.map((key) => key.direct!),
    operator,
    value: parts[index]!.value.direct!,
  }));
  const direct: Direct = (value, env) => {
    const initial = begin(value, env);
    if (initial === undefined) return undefined;
    const updater = new Updater(initial, env.context);
    source.push(value, null, env, (item) => {
      const scope = extend(env, item);
      for (const code of codes) applyChange(updater, code, scope);
      return false;
    });
    return updater.finish();
  };
  return {
    ...general,
    direct,
    push: (value, path, env, emit) => {
      if (path !== null) return general.push(value, path, env, emit);
      const result = direct(value, env);
      return result === undefined ? false : emit(result, null);
    },
    link: general.bounded ? linkWithPaths(direct, general.link) : general.link,
  };
}

function applyChange(updater: Updater, { keys, operator, value }: ChangeCode, env: Env): void {
  const path: JsonValue[] = [];
  for (const key of keys) path.push(key(null, env)!);
  switch (operator) {
    case '=':
      updater.put(path, value(null, env)!);
      return;
    case '+=':
      updater.addAt(path, value(null, env)!);
      return;
    case '|=':
      updater.put(path, value(updater.get(path), env)!);
      return;
    case '//=': {
      const given = value(null, env)!;
      const old = updater.get(path);
      updater.put(path, isTruthy(old) ? old : given);
      return;
    }
    default: {
      const given = value(null, env)!;
      const operation = operations[operator.slice(0, -1)]!;
      updater.put(path, operation(updater.get(path), given, env.context));
    }
  }
}
