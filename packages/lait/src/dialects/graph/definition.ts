import type { JsonObject, JsonValue } from '../../values/value.js';

/** Keys and indexes from the root of a definition. */
export type DefinitionPath = readonly (string | number)[];

/** A node as it was read; `config` is decoded. Source: graph facts §1.4. */
export interface GraphNode {
  node_id: string;
  node_type: string;
  label?: string;
  config: JsonObject;
  /** The loop that owns it; null at top level. */
  parent_loop_node_id: string | null;
  path: DefinitionPath;
  configPath: DefinitionPath;
}

/** An edge as it was read. Source: graph facts §1.5. */
export interface GraphEdge {
  edge_id: string;
  source_node_id: string;
  target_node_id: string;
  edge_kind: string;
  /** Null: always. */
  condition: JsonValue;
  order_index: number;
  path: DefinitionPath;
}

/** A whole graph, readable enough to be checked. */
export interface GraphDefinition {
  name?: string;
  description?: string;
  inputs_schema: JsonValue;
  nodes: GraphNode[];
  edges: GraphEdge[];
}
