import { compileCondition, readCondition } from '../../expressions/condition.js';
import type { Expression } from '../../expressions/expression.js';
import { compileTypedValue, readTypedValue } from '../../expressions/typed-reference-value.js';
import type { Block, Edge, PlanNode } from '../../plan/plan.js';
import type { JsonValue } from '../../values/value.js';
import type { GraphEdge, GraphNode } from './definition.js';
import type { GraphCheck } from './graph-check.js';
import { nodeTypes } from './node-types/index.js';
import type { ScopeGraph } from './scope-graph.js';

/** Lowers a graph that was checked without errors to blocks of the plan. */
export class GraphLowering {
  constructor(readonly check: GraphCheck) {}

  /** The top level of the graph. */
  body(): Block {
    const scope = this.check.scopes.get(null)!;
    return this.#block('nodes', scope, scope.entries[0]!.node_id, new Map());
  }

  /**
   * The child graph of a loop. Whether to go on is judged inside it, behind the loop_result, where the outputs of the
   * finished iteration can still be seen.
   */
  loopBody(loop: GraphNode, continuation: Expression<boolean>): Block {
    const scope = this.check.scopes.get(loop.node_id)!;
    const result = scope.nodes.find(({ node_type }) => node_type === 'loop_result')!;
    const judge: PlanNode = {
      kind: 'loop_continuation',
      path: `${pathOf(loop)}.continuation_condition`,
      label: 'continuation condition',
      position: this.check.issues.positionOf([...loop.configPath, 'continuation_condition']),
      fields: { continuation },
    };
    const block = this.#block(
      `${pathOf(loop)}.body`,
      scope,
      loop.config.entry_node_id as string,
      new Map([[result.node_id, scope.nodes.length]]),
    );
    return { ...block, nodes: [...block.nodes, judge], edges: [...block.edges!, []], title: 'body' };
  }

  /** A value with references, compiled. */
  value(value: JsonValue): Expression<JsonValue> {
    return compileTypedValue(readTypedValue(value));
  }

  #block(path: string, scope: ScopeGraph, entry: string, added: ReadonlyMap<string, number>): Block {
    const indexes = new Map(scope.nodes.map((node, index) => [node.node_id, index]));
    return {
      path,
      nodes: scope.nodes.map((node) => this.#node(node)),
      entry: indexes.get(entry)!,
      edges: scope.nodes.map((node) => {
        const edges = scope.outgoing(node).map((edge) => lowerEdge(edge, indexes.get(edge.target_node_id)!));
        const behind = added.get(node.node_id);
        return behind === undefined ? edges : [...edges, { kind: 'normal', target: behind }];
      }),
    };
  }

  #node(node: GraphNode): PlanNode {
    const position = this.check.issues.positionOf(node.path);
    return {
      path: pathOf(node),
      id: node.node_id,
      label: node.label ?? node.node_id,
      ...(position !== undefined && { position }),
      ...nodeTypes.get(node.node_type)!.lower(node, this),
    };
  }
}

/** Ids may hold any character; those that addresses give a meaning to are written as escapes. */
function pathOf({ node_id }: GraphNode): string {
  return `nodes.${node_id.replace(/[^\p{L}\p{N}_-]/gu, (character) => `%${character.codePointAt(0)!.toString(16)}`)}`;
}

function lowerEdge(edge: GraphEdge, target: number): Edge {
  const kind = edge.edge_kind === 'error' ? 'error' : 'normal';
  const { condition } = edge.condition === null || kind === 'error' ? {} : readCondition(edge.condition);
  return {
    id: edge.edge_id,
    kind,
    target,
    ...(condition !== undefined && { condition: compileCondition(condition, 'false') }),
  };
}
