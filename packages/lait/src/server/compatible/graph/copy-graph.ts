import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../values/value.js';
import type { GraphContent } from './graph-content.js';

/** Where nodes without a place go: rows of four. */
const grid = { columns: 4, width: 220, height: 120, margin: 40 };

/**
 * A copy with ids of its own: references, conditions, entries and parents are rewritten, literals that only look like
 * references are not. Source: graph facts §1.9.
 */
export function copyGraph({ inputs_schema, nodes, edges }: GraphContent): GraphContent {
  const ids = new Map(nodes.map(({ node_id }) => [String(node_id), randomUUID() as string]));
  const renamed = (id: JsonValue | undefined) =>
    typeof id === 'string' ? (ids.get(id) ?? id) : (id ?? null);
  return {
    inputs_schema,
    nodes: nodes.map((node, index) => ({
      ...node,
      node_id: renamed(node.node_id),
      parent_loop_node_id: renamed(node.parent_loop_node_id),
      config: copiedConfig(node.config, ids),
      ui_position: node.ui_position ?? {
        x: grid.margin + (index % grid.columns) * grid.width,
        y: grid.margin + Math.floor(index / grid.columns) * grid.height,
      },
    })),
    edges: edges.map((edge) => ({
      ...edge,
      edge_id: randomUUID(),
      source_node_id: renamed(edge.source_node_id),
      target_node_id: renamed(edge.target_node_id),
      condition: copiedCondition(edge.condition, ids),
    })),
  };
}

type Ids = ReadonlyMap<string, string>;

function copiedConfig(config: JsonValue | undefined, ids: Ids): JsonValue {
  if (!isObject(config)) return config ?? {};
  const copy = copiedValue(config as JsonObject, ids) as JsonObject;
  const { entry_node_id, continuation_condition } = copy;
  return {
    ...copy,
    ...(typeof entry_node_id === 'string' && { entry_node_id: ids.get(entry_node_id) ?? entry_node_id }),
    ...(continuation_condition !== undefined && {
      continuation_condition: copiedCondition(continuation_condition, ids),
    }),
  };
}

function copiedValue(value: JsonValue, ids: Ids): JsonValue {
  if (Array.isArray(value)) return value.map((item) => copiedValue(item, ids));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const text = key === '$ref' && typeof item === 'string' ? copiedPath(item, ids) : undefined;
    const date = key === '$expr' && isObject(item) ? copiedDate(item as JsonObject, ids) : undefined;
    setOwnProperty(copy, key, text ?? date ?? copiedValue(item, ids));
  }
  return copy;
}

/** The anchor of a date expression may be a reference without `$ref`. */
function copiedDate(expression: JsonObject, ids: Ids): JsonValue {
  const copy = copiedValue(expression, ids) as JsonObject;
  const { anchor } = copy;
  return typeof anchor === 'string' ? { ...copy, anchor: copiedPath(anchor, ids) } : copy;
}

function copiedCondition(condition: JsonValue | undefined, ids: Ids): JsonValue {
  if (!isObject(condition) || typeof condition.from_path !== 'string') return condition ?? null;
  return { ...(condition as JsonObject), from_path: copiedPath(condition.from_path, ids) };
}

function copiedPath(path: string, ids: Ids): string {
  const [root, id = '', ...rest] = path.split('.');
  const fresh = root === 'nodes' ? ids.get(id) : undefined;
  return fresh === undefined ? path : ['nodes', fresh, ...rest].join('.');
}
