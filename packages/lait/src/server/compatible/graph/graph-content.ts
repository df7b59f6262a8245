import { z } from 'zod';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';
import { type DefinitionContent, valueOfContent } from '../../definitions/definition.js';

/** A graph as this interface shows and takes it: decoded, every edge with an id. Source: graph facts §1.3 to §1.5. */
export interface GraphContent extends JsonObject {
  inputs_schema: JsonObject;
  nodes: JsonObject[];
  edges: JsonObject[];
}

export const emptyGraph: GraphContent = { inputs_schema: { type: 'object' }, nodes: [], edges: [] };

const id = z.string().trim().min(1).max(200);
const object = z.record(z.string(), z.json());
const position = z.object({ x: z.number(), y: z.number() });

export const nodeBody = z.object({
  node_id: id,
  node_type: z.string().min(1).max(100),
  label: z.string().max(1000).nullish(),
  config: object.default({}),
  parent_loop_node_id: id.nullish(),
  ui_position: position.nullish(),
});

export const edgeBody = z.object({
  edge_id: id,
  source_node_id: id,
  target_node_id: id,
  edge_kind: z.string().max(100).default('normal'),
  condition: object.nullish(),
  order_index: z.int().default(0),
});

/** A whole graph; what it means is checked when it is published. */
export const graphBody = z
  .object({
    inputs_schema: object.default({ type: 'object' }),
    nodes: z.array(nodeBody).max(1000),
    edges: z.array(edgeBody).max(2000),
  })
  .superRefine(({ nodes, edges }, context) => {
    unique(nodes, 'node_id', 'nodes', context);
    unique(edges, 'edge_id', 'edges', context);
  });

export function contentOfBody({ inputs_schema, nodes, edges }: z.infer<typeof graphBody>): GraphContent {
  return {
    inputs_schema: inputs_schema as JsonObject,
    nodes: nodes.map((node) => nodeOf(node as JsonObject)),
    edges: edges.map((edge, index) => edgeOf(edge as JsonObject, index)),
  };
}

/** The graph of a stored version, whatever it was stored as; an empty one of a text that is no YAML. */
export function graphOf(content: DefinitionContent): GraphContent {
  const value = valueOfContent(content);
  if (!isObject(value)) return emptyGraph;
  const schema = decoded(value as JsonObject, 'inputs_schema');
  return {
    inputs_schema: isObject(schema) ? (schema as JsonObject) : { type: 'object' },
    nodes: objects(value.nodes).map(nodeOf),
    edges: objects(value.edges)
      .map(edgeOf)
      .sort((one, other) => Number(one.order_index) - Number(other.order_index)),
  };
}

function nodeOf(node: JsonObject): JsonObject {
  return {
    node_id: node.node_id ?? '',
    node_type: node.node_type ?? '',
    label: node.label ?? null,
    config: decoded(node, 'config') ?? {},
    parent_loop_node_id: node.parent_loop_node_id ?? null,
    ui_position: decoded(node, 'ui_position') ?? null,
  };
}

function edgeOf(edge: JsonObject, index: number): JsonObject {
  return {
    edge_id: edge.edge_id ?? `${String(edge.source_node_id)}->${String(edge.target_node_id)}#${index}`,
    source_node_id: edge.source_node_id ?? '',
    target_node_id: edge.target_node_id ?? '',
    edge_kind: edge.edge_kind ?? 'normal',
    condition: decoded(edge, 'condition') ?? null,
    order_index: edge.order_index ?? 0,
  };
}

/** `config`, or `config_json` as its text. */
function decoded(value: JsonObject, key: string): JsonValue | undefined {
  const raw = value[key] ?? value[`${key}_json`];
  if (typeof raw !== 'string') return raw;
  try {
    return JSON.parse(raw) as JsonValue;
  } catch {
    return raw;
  }
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];
}

function unique(
  items: readonly Record<string, unknown>[],
  key: string,
  list: string,
  context: z.RefinementCtx,
): void {
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    if (seen.has(item[key]))
      context.addIssue({
        code: 'custom',
        path: [list, index, key],
        message: `'${String(item[key])}' is used twice`,
      });
    seen.add(item[key]);
  }
}
