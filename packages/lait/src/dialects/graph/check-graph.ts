import { readCondition } from '../../expressions/condition.js';
import type { Misnamed } from '../../values/misnamed.js';
import { checkSecrets } from './check-secrets.js';
import type { GraphEdge, GraphNode } from './definition.js';
import type { GraphCheck, Place } from './graph-check.js';
import { nodeTypes } from './node-types/index.js';

/** Nodes and edges per graph. Source: graph facts §1.11. */
export const defaultGraphLimits = { maxNodes: 30, maxEdges: 60 } as const;

/** Finds every problem of a graph that was read. Source: graph facts §6. */
export function checkGraph(check: GraphCheck): void {
  const { definition, issues, options } = check;
  const { maxNodes = defaultGraphLimits.maxNodes, maxEdges = defaultGraphLimits.maxEdges } = options;
  const { nodes, edges } = definition;
  if (nodes.length > maxNodes) {
    issues.add({
      code: 'max_nodes',
      message: `a graph may have ${maxNodes} nodes at most, not ${nodes.length}`,
      path: ['nodes'],
    });
  }
  if (edges.length > maxEdges) {
    issues.add({
      code: 'max_edges',
      message: `a graph may have ${maxEdges} edges at most, not ${edges.length}`,
      path: ['edges'],
    });
  }
  check.schema(definition.inputs_schema, ['inputs_schema'], {});
  checkIds(check);
  checkScopes(check);
  for (const node of nodes) checkNode(node, check);
  for (const edge of edges) checkEdge(edge, check);
  checkOrderOfEdges(check);
}

function checkIds({ definition, issues }: GraphCheck): void {
  const nodeIds = new Set<string>();
  for (const { node_id, path } of definition.nodes) {
    if (nodeIds.has(node_id))
      issues.add({ code: 'duplicate_node_id', message: `node id '${node_id}' is used twice`, node_id, path });
    nodeIds.add(node_id);
  }
  const edgeIds = new Set<string>();
  for (const { edge_id, path } of definition.edges) {
    if (edgeIds.has(edge_id))
      issues.add({ code: 'duplicate_edge_id', message: `edge id '${edge_id}' is used twice`, edge_id, path });
    edgeIds.add(edge_id);
  }
}

function checkScopes(check: GraphCheck): void {
  const top = check.scopes.get(null)!;
  for (const scope of check.scopes.values()) {
    for (const node of scope.cyclic)
      check.report(
        node,
        'cycle',
        `node '${node.node_id}' lies on a cycle: edges may not lead back; use a loop node`,
      );
  }
  const { entries } = top;
  if (entries.length !== 1) {
    const message =
      entries.length === 0
        ? 'the graph needs exactly one node without incoming edge, where it begins'
        : `the graph must begin at one node, but none leads to ${entries.map(({ node_id }) => `'${node_id}'`).join(', ')}`;
    check.issues.add({ code: 'entry_count', message, path: ['nodes'] });
    return;
  }
  const reachable = top.reachableFrom(entries[0]!.node_id);
  for (const node of top.nodes) {
    if (!reachable.has(node.node_id))
      check.report(node, 'unreachable_node', `nothing leads to node '${node.node_id}'`);
  }
}

function checkNode(node: GraphNode, check: GraphCheck): void {
  const { parent_loop_node_id: parent } = node;
  if (parent !== null && check.nodes.get(parent)?.node_type !== 'loop') {
    const loops = check.definition.nodes.filter(({ node_type }) => node_type === 'loop');
    check.report(node, 'parent_loop', {
      message: `parent '${parent}' is no loop of this graph`,
      misnamed: { name: parent, known: loops.map(({ node_id }) => node_id) },
    });
  }
  const type = nodeTypes.get(node.node_type);
  if (type === undefined) {
    check.report(node, 'node_type', {
      message: `unknown node type '${node.node_type}'; known are ${[...nodeTypes.keys()].join(', ')}`,
      misnamed: { name: node.node_type, known: nodeTypes.keys() },
    });
    return;
  }
  for (const key of Object.keys(node.config)) {
    if (type.keys.includes(key)) continue;
    const what = {
      message: `${node.node_type} nodes have no '${key}'; known are ${type.keys.join(', ')}`,
      misnamed: { name: key, known: type.keys },
    };
    const { refuses } = type;
    if (refuses !== undefined && refuses.keys?.includes(key) !== false)
      check.report(node, refuses.code, what, key);
    else check.warn(node, 'config_unknown_key', what, key);
  }
  type.check(node, check);
  checkSecrets(node, check);
  if (type.end !== true && !check.outgoing(node).some((edge) => edge.edge_kind === 'normal')) {
    check.warn(
      node,
      'missing_edge',
      `nothing leads on from node '${node.node_id}': reaching it fails the run`,
    );
  }
}

function checkEdge(edge: GraphEdge, check: GraphCheck): void {
  const { edge_id, edge_kind, path } = edge;
  const report = (
    code: Parameters<GraphCheck['report']>[1],
    message: string,
    key?: string,
    misnamed?: Misnamed,
  ) =>
    check.issues.add({ code, message, misnamed, edge_id, path: key === undefined ? path : [...path, key] });
  if (edge_kind !== 'normal' && edge_kind !== 'error') {
    const misnamed = { name: edge_kind, known: ['normal', 'error'] };
    report('edge_kind', `edge_kind must be 'normal' or 'error', not '${edge_kind}'`, 'edge_kind', misnamed);
  }
  const source = check.nodes.get(edge.source_node_id);
  const target = check.nodes.get(edge.target_node_id);
  for (const end of ['source_node_id', 'target_node_id'] as const) {
    const name = edge[end];
    if (!check.nodes.has(name))
      report('edge_endpoint', `no node '${name}' exists`, end, { name, known: check.nodes.keys() });
  }
  if (
    source !== undefined &&
    target !== undefined &&
    source.parent_loop_node_id !== target.parent_loop_node_id
  ) {
    report(
      'edge_scope',
      `'${source.node_id}' and '${target.node_id}' are not in the same scope: edges do not cross a loop`,
    );
  }
  if (source !== undefined && nodeTypes.get(source.node_type)?.end === true) {
    report('terminal_outgoing', `node '${source.node_id}' is an end: no edge may leave it`);
  }
  if (edge.condition === null) return;
  const conditionPath = [...path, 'condition'];
  const { condition, issues } = readCondition(edge.condition);
  for (const issue of issues) {
    check.issues.add({ ...issue, edge_id, path: [...conditionPath, ...issue.path] });
  }
  if (edge_kind === 'error') {
    check.issues.add({
      code: 'error_edge_condition',
      severity: 'warning',
      message: 'the condition of an error edge is ignored',
      edge_id,
      path: conditionPath,
    });
  } else if (condition !== undefined && source !== undefined) {
    const place: Place = { scope: source.parent_loop_node_id, node: source, after: true, owner: { edge_id } };
    check.reference(condition.reference, [...conditionPath, 'from_path'], place);
  }
}

/** Edges behind an unconditional one are never taken; error edges behind the first one neither. */
function checkOrderOfEdges(check: GraphCheck): void {
  for (const node of check.nodes.values()) {
    const closed = new Map<string, GraphEdge>();
    for (const edge of check.outgoing(node)) {
      const first = closed.get(edge.edge_kind);
      if (first !== undefined) {
        const message = `edge '${edge.edge_id}' is never taken: '${first.edge_id}' comes first and has no condition`;
        check.issues.add({
          code: 'edge_shadowed',
          severity: 'warning',
          message,
          edge_id: edge.edge_id,
          path: edge.path,
        });
      } else if (edge.condition === null || edge.edge_kind === 'error') closed.set(edge.edge_kind, edge);
    }
  }
}
