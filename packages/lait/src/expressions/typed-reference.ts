import { StepError } from '../errors/errors.js';
import type { Misnamed } from '../values/misnamed.js';
import { isObject, type JsonValue, type Value } from '../values/value.js';
import type { Reference } from './expression.js';
import type { Scope } from './scope.js';

/** Error code of a path that has no value in the run at hand. A node that meets it fails and is not repeated. */
const unresolvedReference = 'reference_unresolved';

/** A parsed path of the graph form, e.g. `nodes.plan.output.steps[0].title`. Source: graph facts §3.2. */
export type TypedReference =
  | { root: 'inputs'; source: string; path: readonly (string | number)[] }
  | { root: 'node'; source: string; nodeId: string; path: readonly (string | number)[] }
  | { root: 'loop_state' | 'loop_input'; source: string; path: readonly (string | number)[] }
  | { root: 'loop_iteration' | 'reference_time'; source: string; path: readonly [] };

const segmentForm = /^([^.[\]]+)((?:\[\d+\])*)$/;

/**
 * Parses a path. Gives the reason in `problem` when it is none: an unknown root, an empty or malformed segment, an
 * index where a field must stand, parts behind a root that has none.
 */
export function parseTypedReference(
  source: string,
): { reference: TypedReference } | { problem: string; misnamed?: Misnamed } {
  const path: (string | number)[] = [];
  for (const segment of source.split('.')) {
    const parts = segmentForm.exec(segment);
    if (parts === null) {
      return {
        problem: `'${source}' has ${segment === '' ? 'an empty part' : `a malformed part '${segment}'`}; write names joined by dots, with [0] for list items`,
      };
    }
    path.push(parts[1]!);
    for (const index of parts[2]!.matchAll(/\d+/g)) path.push(Number(index[0]));
  }
  const [first, second, third] = path;
  if (first === 'run' && second === 'inputs') {
    if (typeof third !== 'string') return { problem: `'${source}' must name an input: run.inputs.<field>` };
    return { reference: { root: 'inputs', source, path: path.slice(2) } };
  }
  if (first === 'run' && second === 'context') {
    if (source !== 'run.context.reference_time')
      return { problem: `'${source}' is unknown; run.context has only reference_time` };
    return { reference: { root: 'reference_time', source, path: [] } };
  }
  if (first === 'nodes') {
    if (typeof second !== 'string' || third !== 'output')
      return { problem: `'${source}' must read nodes.<id>.output or nodes.<id>.output.<field>` };
    if (typeof path[3] === 'number')
      return { problem: `'${source}' needs a field before the index: an output is an object` };
    return { reference: { root: 'node', source, nodeId: second, path: path.slice(3) } };
  }
  if (first === 'loop' && (second === 'state' || second === 'input')) {
    if (typeof third === 'number')
      return { problem: `'${source}' needs a field before the index: loop.${second} is an object` };
    return { reference: { root: `loop_${second}`, source, path: path.slice(2) } };
  }
  if (first === 'loop' && second === 'iteration') {
    if (path.length > 2) return { problem: `'${source}' goes into loop.iteration, which is a number` };
    return { reference: { root: 'loop_iteration', source, path: [] } };
  }
  return {
    problem: `'${source}' starts with no known root; use run.inputs, run.context.reference_time, nodes, loop.state, loop.input or loop.iteration`,
    misnamed: { name: path.slice(0, 2).join('.'), known: rootsLike(String(second)) },
  };
}

/** What may stand before the first field; the id of a node is whatever was written. */
function rootsLike(nodeId: string): string[] {
  return ['run.inputs', 'run.context', `nodes.${nodeId}`, 'loop.state', 'loop.input', 'loop.iteration'];
}

/** Looks a reference up. `found: false` when any part of the path is missing. */
export function lookUpReference(
  reference: TypedReference,
  scope: Scope,
): { found: true; value: JsonValue } | { found: false } {
  let value = rootValue(reference, scope);
  for (const part of reference.path) {
    if (typeof part === 'number') value = Array.isArray(value) ? value[part] : undefined;
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    if (value === undefined) return { found: false };
  }
  return value === undefined ? { found: false } : { found: true, value };
}

/** The value of a reference. A null at the end of the path is a value. Throws a `StepError` when a part is missing. */
export function resolveReference(reference: TypedReference, scope: Scope): JsonValue {
  const result = lookUpReference(reference, scope);
  if (result.found) return result.value;
  throw new StepError({
    code: unresolvedReference,
    message: `reference ${reference.source} has no value in this run`,
    details: { reference: reference.source },
  });
}

function rootValue(reference: TypedReference, scope: Scope): Value {
  switch (reference.root) {
    case 'inputs':
      return scope.inputs;
    case 'node':
      return scope.hasStep(reference.nodeId) ? scope.step(reference.nodeId) : undefined;
    case 'loop_state':
      return scope.loop?.state;
    case 'loop_input':
      return scope.loop?.input;
    case 'loop_iteration':
      return scope.loop?.index;
    case 'reference_time':
      return Object.hasOwn(scope.context, 'reference_time') ? scope.context.reference_time : undefined;
  }
}

/** The reference as lint and drawings see it. */
export function staticReference(reference: TypedReference): Reference {
  switch (reference.root) {
    case 'inputs':
      return { root: 'inputs', path: reference.path };
    case 'node':
      return { root: 'steps', path: [reference.nodeId, ...reference.path] };
    case 'loop_state':
      return { root: 'loop', path: ['state', ...reference.path] };
    case 'loop_input':
      return { root: 'loop', path: ['input', ...reference.path] };
    case 'loop_iteration':
      return { root: 'loop', path: ['iteration'] };
    case 'reference_time':
      return { root: 'context', path: ['reference_time'] };
  }
}
