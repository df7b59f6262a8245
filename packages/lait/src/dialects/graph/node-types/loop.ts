import { compileCondition, readCondition } from '../../../expressions/condition.js';
import type { StateLoopFields } from '../../../kinds/state-loop.js';
import { isObject, type JsonObject, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck, Place } from '../graph-check.js';
import type { GraphNodeType } from './node-type.js';

/** Most iterations of a loop. Source: graph seed, loop Node. */
const mostIterations = 50;

/** Repeats a child graph while a condition on its state holds. Source: graph seed, loop Node; facts §2.3. */
export const loopType: GraphNodeType = {
  type: 'loop',
  description: 'Repeats a graph of its own while a condition on its state holds.',
  keys: ['state_schema', 'input_mapping', 'continuation_condition', 'max_iterations', 'entry_node_id'],
  check(node, check) {
    if (node.parent_loop_node_id !== null)
      check.report(node, 'loop_nested', 'a loop cannot stand inside a loop');
    checkState(node, check);
    const { max_iterations } = node.config;
    if (
      !(
        Number.isInteger(max_iterations) &&
        (max_iterations as number) >= 1 &&
        (max_iterations as number) <= mostIterations
      )
    ) {
      check.report(
        node,
        'max_iterations',
        `max_iterations must be an integer from 1 to ${mostIterations}`,
        'max_iterations',
      );
    }
    const results = childrenOf(node, check).filter(({ node_type }) => node_type === 'loop_result');
    checkChildren(node, check, results);
    checkContinuation(node, check, results);
  },
  output: (node) => ({
    type: 'object',
    properties: {
      final_state: ownProperty(node.config, 'state_schema') ?? {},
      iterations: { type: 'integer' },
      exit_reason: { type: 'string' },
    },
    required: ['final_state', 'iterations', 'exit_reason'],
    additionalProperties: false,
  }),
  lower(node, lowering) {
    const { config } = node;
    const { condition } = readCondition(config.continuation_condition);
    const fields: StateLoopFields = {
      state_schema: config.state_schema as JsonObject,
      max_iterations: config.max_iterations as number,
      body: lowering.loopBody(node, compileCondition(condition!, 'error')),
    };
    return { kind: 'state_loop', fields, input: lowering.value(config.input_mapping as JsonObject) };
  },
};

function childrenOf(node: GraphNode, check: GraphCheck): readonly GraphNode[] {
  return check.scopes.get(node.node_id)?.nodes ?? [];
}

function checkState(node: GraphNode, check: GraphCheck): void {
  const schema = ownProperty(node.config, 'state_schema');
  let usable = false;
  if (schema === undefined || schema === null)
    check.report(node, 'state_schema_required', 'a loop needs a state_schema');
  else usable = check.schema(schema, [...node.configPath, 'state_schema'], { node_id: node.node_id });
  if (usable && isObject(schema) && schema.type !== 'object') {
    check.report(node, 'schema_subset', 'state_schema must describe an object', 'state_schema');
  }
  const mapping = ownProperty(node.config, 'input_mapping');
  if (!isObject(mapping)) {
    check.report(node, 'input_mapping_shape', 'input_mapping must be an object of values', 'input_mapping');
    return;
  }
  check.value(mapping, [...node.configPath, 'input_mapping'], check.placeOf(node), {
    schema,
    code: 'state_value',
    severity: 'warning',
  });
}

function checkChildren(node: GraphNode, check: GraphCheck, results: readonly GraphNode[]): void {
  const children = childrenOf(node, check);
  if (results.length !== 1) {
    check.report(
      node,
      'loop_result_count',
      `a loop needs exactly one loop_result, this one has ${results.length}`,
    );
  }
  if (children.some(({ node_type }) => node_type === 'loop')) {
    check.report(node, 'loop_nested', 'a loop cannot hold another loop');
  }
  const entry = ownProperty(node.config, 'entry_node_id');
  if (typeof entry !== 'string' || !children.some(({ node_id }) => node_id === entry)) {
    check.report(
      node,
      'entry_node_id',
      {
        message: 'entry_node_id must be a node whose parent_loop_node_id is this loop',
        misnamed: { name: String(entry), known: children.map(({ node_id }) => node_id) },
      },
      'entry_node_id',
    );
    return;
  }
  const scope = check.scopes.get(node.node_id)!;
  const reachable = scope.reachableFrom(entry);
  const leading = results.length === 1 ? scope.leadingTo(results[0]!.node_id) : undefined;
  for (const child of children) {
    if (!reachable.has(child.node_id))
      check.report(
        child,
        'loop_child_unreachable',
        `the entry '${entry}' does not lead to '${child.node_id}'`,
      );
    if (leading !== undefined && !leading.has(child.node_id)) {
      check.report(child, 'loop_child_dead_end', `no way leads from '${child.node_id}' to the loop_result`);
    }
  }
}

function checkContinuation(node: GraphNode, check: GraphCheck, results: readonly GraphNode[]): void {
  const path = [...node.configPath, 'continuation_condition'];
  const { condition, issues } = readCondition(ownProperty(node.config, 'continuation_condition'));
  const owner = { node_id: node.node_id };
  for (const issue of issues) check.issues.add({ ...issue, path: [...path, ...issue.path], ...owner });
  if (condition === undefined) return;
  const place: Place = {
    scope: node.node_id,
    node: results.length === 1 ? results[0] : undefined,
    after: true,
    owner,
  };
  check.reference(condition.reference, [...path, 'from_path'], place);
}
