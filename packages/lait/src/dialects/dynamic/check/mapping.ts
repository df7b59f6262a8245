import type { MappingSource } from '../../../expressions/mapping.js';
import { splitPath } from '../../../expressions/path.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../values/value.js';
import type { Issue } from '../issue.js';
import {
  type DescriptorIssue,
  isDescriptorIssue,
  readDescriptor,
  readMappingConfig,
} from '../mapping-config.js';
import { type KnownSchema, schemaAt } from '../schema-shape.js';

/** What a mapping can see at its place. */
export interface MappingView {
  initData: KnownSchema;
  requestContext: KnownSchema;
  results: ReadonlyMap<string, KnownSchema>;
}

/**
 * Checks a mapping's descriptors and infers its output. A descriptor that is refused is no key of the output, unless
 * what it gives is known all the same. Source: dynamic facts §2.1 and §5.
 */
export function checkMapping(
  config: JsonValue | undefined,
  path: string,
  view: MappingView,
  issues: Issue[],
): KnownSchema {
  const descriptors = readMappingConfig(config);
  if (descriptors === undefined) {
    issues.push({ code: 'invalid-map-config', path, message: 'Mapping config must be a JSON object.' });
    return undefined;
  }
  const properties: JsonObject = {};
  for (const [key, descriptor] of Object.entries(descriptors)) {
    const schema = checkDescriptor(descriptor, `${path}.${key}`, view, issues);
    if (schema !== undefined) setOwnProperty(properties, key, schema);
  }
  return { type: 'object', properties, required: Object.keys(properties) };
}

function checkDescriptor(
  descriptor: JsonValue | undefined,
  path: string,
  view: MappingView,
  issues: Issue[],
): KnownSchema {
  const source = readDescriptor(descriptor);
  if (isDescriptorIssue(source)) {
    issues.push({ code: source.code, path: `${path}${source.suffix}`, message: source.message });
    return outputOfRefused(source);
  }
  const unknown = unknownStep(source, view);
  if (unknown !== undefined) {
    const place = source.type === 'template' ? 'template' : 'step';
    const message =
      source.type === 'template'
        ? 'Template references must use an available workflow-local source.'
        : `Mapping source "${unknown}" must be a preceding workflow-local step.`;
    issues.push({ code: 'invalid-map-reference', path: `${path}.${place}`, message });
    return source.type === 'template' ? templateOutput : undefined;
  }
  return outputOf(source, path, view, issues);
}

/**
 * The first step that has not run by then. An empty id is let through, as the reference does; it never has a result.
 */
function unknownStep(source: MappingSource, { results }: MappingView): string | undefined {
  if (source.type === 'step') return source.ids.find((id) => id !== '' && !results.has(id));
  if (source.type !== 'template') return undefined;
  return source.template.placeholders.find(({ root, key }) => root === 'stepResults' && !results.has(key!))
    ?.key;
}

const templateOutput = { type: 'string' };

/** What a refused descriptor would have given: a template a text, a request context value anything. */
function outputOfRefused({ suffix }: DescriptorIssue): KnownSchema {
  if (suffix === '.template') return templateOutput;
  return suffix === '.requestContextPath' ? {} : undefined;
}

function outputOf(source: MappingSource, path: string, view: MappingView, issues: Issue[]): KnownSchema {
  switch (source.type) {
    case 'value':
      return { type: typeNameOf(source.value) };
    case 'template':
      return templateOutput;
    case 'requestContext':
      return schemaAt(view.requestContext, splitPath(source.key)) ?? {};
    case 'initData':
      return follow(view.initData, source.path, path, issues);
    case 'step': {
      const first = source.ids.find((id) => isKnown(view.results.get(id)));
      return follow(first === undefined ? undefined : view.results.get(first), source.path, path, issues);
    }
  }
}

function follow(schema: KnownSchema, path: string, place: string, issues: Issue[]): KnownSchema {
  if (!isKnown(schema)) return {};
  const found = schemaAt(schema, splitPath(path));
  if (found !== undefined) return found;
  const message = `Path "${path}" does not exist in the source schema.`;
  issues.push({ code: 'invalid-map-config', path: `${place}.path`, message });
  return {};
}

function isKnown(schema: KnownSchema): boolean {
  return Boolean(schema);
}

function typeNameOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
