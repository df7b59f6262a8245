import type { Assignment, BinaryOperator, Node } from '../syntax/ast.js';
import type { Range } from '../syntax/range.js';
import { describe, shorten } from '../values/describe.js';
import { isObject, type JsonObject, type JsonValue } from '../values/json.js';
import { setKey } from '../values/object.js';
import { raise } from '../values/raise.js';
import { type Code, computed, type Direct } from './code.js';
import type { Compiler } from './compiler.js';
import { bind, variable } from './lower.js';
import type { Scope } from './scope.js';
import { linkAside } from './strict.js';

const valueName = '.value';
const pathName = '.path';
const updaterName = '.updater';

/**
 * Assignments as loops over the paths of their target:
 * `reduce path(target) as $path (updater; put($path; value)) | finish`.
 * The `internal` functions work on the updater, which copies each container once.
 */
export function assignmentCode(compiler: Compiler, node: Assignment, scope: Scope, height: number): Code {
  const general = compiler.compile(lowerAssignment(node), scope, height);
  const code = updateElements(compiler, node, general, scope, height) ?? general;
  return node.operator === '=' ? code : withoutPath(code, node.range);
}

/** `.[] |= value` in one pass, where `value` has at most one output; without one, the element goes. */
function updateElements(
  compiler: Compiler,
  node: Assignment,
  general: Code,
  scope: Scope,
  height: number,
): Code | null {
  const { operator, target } = node;
  if (operator !== '|=' || target.type !== 'iterate' || target.target.type !== 'identity') return null;
  const change = compiler.compile(node.value, scope, height).direct;
  if (change === null) return null;
  const direct: Direct = (value, env) => {
    if (Array.isArray(value)) {
      const elements: JsonValue[] = [];
      for (const element of value) {
        env.context.step();
        const changed = change(element ?? null, env);
        if (changed !== undefined) elements.push(changed);
      }
      return elements;
    }
    if (!isObject(value)) return raise(`Cannot iterate over ${describe(value)}`, target.range);
    const object: JsonObject = {};
    for (const key of Object.keys(value)) {
      env.context.step();
      const changed = change(value[key] ?? null, env);
      if (changed !== undefined) setKey(object, key, changed);
    }
    return object;
  };
  const fast = computed(direct);
  return general.bounded ? fast : { ...fast, bounded: false, link: general.link };
}

/** An update makes a new value: as part of a path expression it fails as it does in jq. */
function withoutPath(code: Code, range: Range): Code {
  const refuse = (result: JsonValue): never =>
    raise(`Invalid path expression near attempt to access element 0 of ${shorten([result, []])}`, range);
  return {
    ...code,
    push: (value, path, env, emit) =>
      path === null ? code.push(value, null, env, emit) : code.push(value, null, env, refuse),
    link: (next) => {
      const inside = code.link(next);
      const checked = linkAside(code, (_machine, result) => refuse(result));
      return (machine) => (machine.path === null ? inside : checked);
    },
  };
}

function lowerAssignment(node: Assignment): Node {
  const { operator, target, value, range } = node;
  const call = (name: string, ...args: Node[]): Node => ({ type: 'call', name, arguments: args, range });
  const path = variable(pathName, range);
  const given = variable(valueName, range);
  const identity: Node = { type: 'identity', range };
  const loop = (update: Node): Node => {
    const reduce: Node = {
      type: 'reduce',
      source: call('path', target),
      patterns: [{ type: 'variable', name: pathName, range }],
      init: call('internal::updater'),
      update,
      range,
    };
    return { type: 'pipe', stages: [reduce, call('internal::finish')], range };
  };
  if (operator === '=') return bind(value, valueName, loop(call('internal::put', path, given)));
  if (operator === '|=') {
    const old: Node = {
      type: 'pipe',
      stages: [variable(updaterName, range), call('internal::get', path), value],
      range,
    };
    const first: Node = { type: 'array', body: call('first', old), range };
    return loop(bind(identity, updaterName, call('internal::putFirst', path, first)));
  }
  const old = call('internal::get', path);
  const changed: Node =
    operator === '//='
      ? { type: 'alternative', left: old, right: given, range }
      : { type: 'binary', operator: operator.slice(0, -1) as BinaryOperator, left: old, right: given, range };
  return bind(value, valueName, loop(call('internal::put', path, changed)));
}
