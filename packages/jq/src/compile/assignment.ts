import type { Assignment, BinaryOperator, Node } from '../syntax/ast.js';
import type { Code } from './code.js';
import type { Compiler } from './compiler.js';
import { bind, variable } from './lower.js';
import type { Scope } from './scope.js';

const valueName = '.value';
const pathName = '.path';
const updaterName = '.updater';

/**
 * Assignments as loops over the paths of their target:
 * `reduce path(target) as $path (updater; put($path; value)) | finish`.
 * The `internal` functions work on the updater, which copies each container once.
 */
export function assignmentCode(compiler: Compiler, node: Assignment, scope: Scope, height: number): Code {
  return compiler.compile(lowerAssignment(node), scope, height);
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
