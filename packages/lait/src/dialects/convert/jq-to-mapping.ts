import { compile, type Node } from '@lait/jq';
import { isPlainPath } from '../../expressions/path.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import { emptyWhenNull } from './mapping-to-jq.js';

/** How a dynamic definition names a step's result that jq reads as `$steps.<id>…`; undefined when it cannot. */
export type StepNamer = (
  id: string,
  path: readonly string[],
) => { id: string; path: readonly string[] } | undefined;

/** A jq object construction as a mapping's descriptors, or the reason why it is none. */
export function jqToMapping(
  source: string,
  nameStep: StepNamer,
): { config: JsonObject } | { reason: string } {
  const { ast } = compile(source, { variables: ['steps', 'inputs', 'loop'] });
  const constant = constantOf(ast);
  if (ast.type !== 'object') {
    if (isObject(constant)) return { config: constantConfig(constant) };
    return { reason: 'only an object with a source for each key can be said' };
  }
  const config: JsonObject = {};
  for (const { key, value } of ast.entries) {
    if (key.type !== 'literal' || typeof key.value !== 'string' || value === null) {
      return { reason: 'every key must be a constant text with a value' };
    }
    const descriptor = descriptorOf(value, source, nameStep);
    if (descriptor === undefined) {
      return {
        reason: `'${source.slice(value.range.start, value.range.end)}' is no constant, path or text with paths`,
      };
    }
    setOwnProperty(config, key.value, descriptor);
  }
  return { config };
}

function constantConfig(constant: JsonObject): JsonObject {
  const config: JsonObject = {};
  for (const [key, value] of Object.entries(constant)) setOwnProperty(config, key, { value });
  return config;
}

function descriptorOf(node: Node, source: string, nameStep: StepNamer): JsonObject | undefined {
  const constant = constantOf(node);
  if (constant !== undefined) return { value: constant };
  if (node.type === 'template' && node.format === null) return templateOf(node.parts, source, nameStep);
  const path = readPath(node);
  if (path === undefined || !isPlain(path.segments)) return undefined;
  if (path.base === 'inputs') return { initData: true, path: path.segments.join('.') || '.' };
  if (path.base !== 'steps') return undefined;
  const [id, ...rest] = path.segments;
  const named = id === undefined ? undefined : nameStep(id, rest);
  return named && { step: named.id, path: named.path.join('.') || '.' };
}

function templateOf(
  parts: readonly (string | Node)[],
  source: string,
  nameStep: StepNamer,
): JsonObject | undefined {
  let template = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      // A text that would read as a placeholder, or as one of another language, cannot be said.
      if (part.includes('${') || part.includes('{{')) return undefined;
      template += part;
      continue;
    }
    if (part.type !== 'pipe' || part.stages.length !== 2) return undefined;
    const [value, rest] = part.stages as [Node, Node];
    if (source.slice(rest.range.start, rest.range.end) !== emptyWhenNull) return undefined;
    const path = readPath(value);
    if (path === undefined || path.segments.some((segment) => /[.}]/.test(segment))) return undefined;
    const place = placeholderOf(path, nameStep);
    if (place === undefined) return undefined;
    template += `\${${place}}`;
  }
  return { template };
}

function placeholderOf({ base, segments }: JqPath, nameStep: StepNamer): string | undefined {
  if (base === 'value') return ['inputData', ...segments].join('.');
  if (base === 'inputs') return ['initData', ...segments].join('.');
  const [id, ...rest] = segments;
  const named = base === 'steps' && id !== undefined ? nameStep(id, rest) : undefined;
  return named && ['stepResults', named.id, ...named.path].join('.');
}

interface JqPath {
  base: 'value' | 'inputs' | 'steps';
  segments: string[];
}

/** `.a.b`, `$inputs.a`, `$steps["x"].y[0]`. */
function readPath(node: Node): JqPath | undefined {
  if (node.type === 'identity') return { base: 'value', segments: [] };
  if (node.type === 'variable') {
    return node.name === 'inputs' || node.name === 'steps' ? { base: node.name, segments: [] } : undefined;
  }
  if (node.type !== 'index') return undefined;
  const target = readPath(node.target);
  const key = node.key.type === 'literal' ? node.key.value : undefined;
  if (target === undefined || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
  return { base: target.base, segments: [...target.segments, String(key)] };
}

function isPlain(segments: readonly string[]): boolean {
  return segments.every((segment) => isPlainPath(segment) && !segment.includes('.'));
}

function constantOf(node: Node): JsonValue | undefined {
  switch (node.type) {
    case 'literal':
      return node.value;
    case 'template':
      return node.parts.every((part) => typeof part === 'string') ? node.parts.join('') : undefined;
    case 'negate': {
      const value = constantOf(node.operand);
      return typeof value === 'number' ? -value : undefined;
    }
    case 'array': {
      if (node.body === null) return [];
      const items = (node.body.type === 'comma' ? node.body.items : [node.body]).map(constantOf);
      return items.includes(undefined) ? undefined : (items as JsonValue[]);
    }
    case 'object': {
      const object: JsonObject = {};
      for (const { key, value } of node.entries) {
        const name = constantOf(key);
        const member = value === null ? undefined : constantOf(value);
        if (typeof name !== 'string' || member === undefined) return undefined;
        setOwnProperty(object, name, member);
      }
      return object;
    }
    default:
      return undefined;
  }
}
