import { LineIndex } from '../../plan/line-index.js';
import { Problems } from '../../plan/problems.js';
import type { SourceFile } from '../../plan/source.js';
import { jsonOf } from '../../plan/yaml/json-of.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import { readYaml } from '../../plan/yaml/read-yaml.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../../values/value.js';
import type { DefinitionPath, GraphDefinition, GraphEdge, GraphNode } from './definition.js';
import { GraphIssues } from './issue.js';

/** Deepest nesting of a definition. */
const maxDepth = 200;

const topKeys = [
  'format',
  'version',
  'id',
  'workflow_id',
  'revision_id',
  'status',
  'name',
  'description',
  'inputs_schema',
  'inputs_schema_json',
  'nodes',
  'edges',
  'skip_approval',
  'created_at',
  'updated_at',
];
const nodeKeys = [
  'node_id',
  'node_type',
  'label',
  'config',
  'config_json',
  'parent_loop_node_id',
  'ui_position',
  'ui_position_json',
  'revision_id',
];
const edgeKeys = [
  'edge_id',
  'source_node_id',
  'target_node_id',
  'edge_kind',
  'condition',
  'condition_json',
  'order_index',
  'revision_id',
];

/** A definition that was read as far as possible, with the issues found on the way. */
export interface ReadGraph {
  /** Absent when the text is no definition at all. */
  definition?: GraphDefinition;
  issues: GraphIssues;
}

/** Reads a graph from the text of a JSON or YAML file. Never throws for what the text holds. */
export function readGraphText(source: SourceFile): ReadGraph {
  const problems = new Problems(source);
  const root = readYaml(problems);
  const value = root === undefined ? undefined : jsonOf(root, (problem) => problems.add(problem));
  const issues = new GraphIssues({
    file: source.file,
    lines: new LineIndex(source.text),
    range(path) {
      // The path of something missing points at what should hold it.
      const range = root === undefined ? undefined : nodeAt(root, path).range;
      return range && [range.start, range.end];
    },
  });
  for (const { message, hint, position, severity } of problems.list())
    if (severity === 'error') issues.add({ code: 'definition_syntax', message, hint, position, path: [] });
  return issues.errors > 0 ? { issues } : readGraphValue(value, issues);
}

/** Reads a graph that a program handed over, or that was parsed from text. */
export function readGraphValue(value: unknown, issues = new GraphIssues()): ReadGraph {
  if (!withinDepth(value, maxDepth)) {
    issues.add({
      code: 'too_deep',
      message: `a definition may be nested ${maxDepth} levels deep at most`,
      path: [],
    });
    return { issues };
  }
  if (!isObject(value)) {
    issues.add({
      code: 'definition_shape',
      message: 'a graph must be an object with nodes and edges',
      path: [],
    });
    return { issues };
  }
  const report = (message: string, ...path: string[]) =>
    issues.add({ code: 'definition_shape', message, path });
  reportUnknownKeys(value, topKeys, [], issues);
  const definition: GraphDefinition = {
    inputs_schema: decoded(value, 'inputs_schema', [], issues) ?? { type: 'object' },
    nodes: listOf(value, 'nodes', report).flatMap((node, index) => readNode(node, ['nodes', index], issues)),
    edges: listOf(value, 'edges', report).flatMap((edge, index) => readEdge(edge, ['edges', index], issues)),
  };
  for (const key of ['name', 'description'] as const) {
    const text = ownProperty(value, key);
    if (typeof text === 'string') definition[key] = text;
    else if (text !== undefined && text !== null) report(`${key} must be text`, key);
  }
  return { definition, issues };
}

function listOf(
  value: JsonObject,
  key: string,
  report: (message: string, ...path: string[]) => void,
): readonly JsonValue[] {
  const items = ownProperty(value, key);
  if (Array.isArray(items)) return items;
  report(items === undefined ? `the graph has no '${key}'` : `${key} must be a list`, key);
  return [];
}

function readNode(value: JsonValue, path: DefinitionPath, issues: GraphIssues): GraphNode[] {
  if (!isObject(value)) {
    issues.add({ code: 'definition_shape', message: 'a node must be an object', path });
    return [];
  }
  const node_id = textOf(value, 'node_id');
  const owner = node_id === '' ? {} : { node_id };
  if (node_id.trim() === '')
    issues.add({ code: 'node_id', message: 'a node needs a node_id', path, ...owner });
  else if (/[.[\]]/.test(node_id)) {
    const message = `node id '${node_id}' holds a dot or a bracket: no reference can name it`;
    issues.add({ code: 'node_id', severity: 'warning', message, path, ...owner });
  }
  reportUnknownKeys(value, nodeKeys, path, issues, owner);
  const configPath = [...path, Object.hasOwn(value, 'config') ? 'config' : 'config_json'];
  const config = decoded(value, 'config', path, issues, owner);
  if (config !== undefined && config !== null && !isObject(config)) {
    issues.add({ code: 'config_shape', message: 'the config must be an object', path: configPath, ...owner });
  }
  const parent = ownProperty(value, 'parent_loop_node_id') ?? null;
  if (parent !== null && typeof parent !== 'string') {
    issues.add({
      code: 'parent_loop',
      message: 'parent_loop_node_id must be the id of a loop',
      path,
      ...owner,
    });
  }
  const label = textOf(value, 'label');
  return [
    {
      node_id,
      node_type: textOf(value, 'node_type'),
      ...(label === '' ? {} : { label }),
      config: isObject(config) ? config : {},
      parent_loop_node_id: typeof parent === 'string' ? parent : null,
      path,
      configPath,
    },
  ];
}

function readEdge(value: JsonValue, path: DefinitionPath, issues: GraphIssues): GraphEdge[] {
  if (!isObject(value)) {
    issues.add({ code: 'definition_shape', message: 'an edge must be an object', path });
    return [];
  }
  const source_node_id = textOf(value, 'source_node_id');
  const target_node_id = textOf(value, 'target_node_id');
  // Edges in files need no id of their own.
  const edge_id = textOf(value, 'edge_id') || `${source_node_id}->${target_node_id}#${path.at(-1)}`;
  reportUnknownKeys(value, edgeKeys, path, issues, { edge_id });
  const order = ownProperty(value, 'order_index') ?? 0;
  if (!Number.isInteger(order)) {
    issues.add({
      code: 'edge_order',
      message: 'order_index must be an integer',
      edge_id,
      path: [...path, 'order_index'],
    });
  }
  const kind = ownProperty(value, 'edge_kind') ?? 'normal';
  return [
    {
      edge_id,
      source_node_id,
      target_node_id,
      edge_kind: typeof kind === 'string' ? kind : '',
      condition: decoded(value, 'condition', path, issues, { edge_id }) ?? null,
      order_index: Number.isInteger(order) ? (order as number) : 0,
      path,
    },
  ];
}

function textOf(value: JsonObject, key: string): string {
  const text = ownProperty(value, key);
  return typeof text === 'string' ? text : '';
}

type Owner = { node_id?: string; edge_id?: string };

/** What text that is no JSON makes of each of the parts that may be stored as text. */
const shapes = {
  config: 'config_shape',
  condition: 'condition_shape',
  inputs_schema: 'schema_subset',
} as const;

/** The value of `key`, or of `<key>_json`; text is decoded, as the stored columns hold it. */
function decoded(
  value: JsonObject,
  key: keyof typeof shapes,
  path: DefinitionPath,
  issues: GraphIssues,
  owner: Owner = {},
): JsonValue | undefined {
  const name = Object.hasOwn(value, key) || !Object.hasOwn(value, `${key}_json`) ? key : `${key}_json`;
  const raw = ownProperty(value, name);
  if (typeof raw !== 'string') return raw;
  const at = { path: [...path, name], ...owner };
  try {
    const parsed = JSON.parse(raw) as JsonValue;
    if (withinDepth(parsed, maxDepth)) return parsed;
    issues.add({ code: 'too_deep', message: `${name} is nested deeper than ${maxDepth} levels`, ...at });
  } catch (error) {
    issues.add({ code: shapes[key], message: `${name} is no JSON: ${(error as Error).message}`, ...at });
  }
  return undefined;
}

function reportUnknownKeys(
  value: JsonObject,
  known: readonly string[],
  path: DefinitionPath,
  issues: GraphIssues,
  owner: Owner = {},
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const message = `'${key}' is not read; known are ${known.join(', ')}`;
    issues.add({
      code: 'unknown_key',
      severity: 'warning',
      message,
      misnamed: { name: key, known },
      path: [...path, key],
      ...owner,
    });
  }
}

/** Whether a value is nested at most `limit` levels; also false for values that contain themselves. */
function withinDepth(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return false;
    const next = new Set<unknown>();
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) if (typeof child === 'object') next.add(child);
    }
    level = [...next];
  }
  return true;
}
