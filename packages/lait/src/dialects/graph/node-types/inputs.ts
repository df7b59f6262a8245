import { isObject, type JsonValue, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';
import type { GraphIssueCode } from '../issue-codes.js';

/** `inputs`: an object of values, checked against the schema of what takes them. */
export function checkInputs(
  node: GraphNode,
  check: GraphCheck,
  options: { code: GraphIssueCode; schema?: JsonValue | undefined },
): void {
  const inputs = ownProperty(node.config, 'inputs');
  if (inputs !== undefined && !isObject(inputs)) {
    check.report(node, options.code, 'inputs must be an object of values', 'inputs');
    return;
  }
  const declared =
    options.schema === undefined
      ? undefined
      : ({ schema: options.schema, code: 'inputs_value', severity: 'error' } as const);
  check.value(inputs ?? {}, [...node.configPath, 'inputs'], check.placeOf(node), declared);
}

/** `output_schema`: required, an object schema of the subset. Source: graph seed, agent Node. */
export function checkOutputSchema(node: GraphNode, check: GraphCheck): void {
  const schema = ownProperty(node.config, 'output_schema');
  if (schema === undefined || schema === null) {
    check.report(
      node,
      'output_schema_required',
      `${node.node_type === 'agent' ? 'an agent' : 'an llm'} node needs an output_schema`,
    );
    return;
  }
  const path = [...node.configPath, 'output_schema'];
  if (check.schema(schema, path, { node_id: node.node_id }) && isObject(schema) && schema.type !== 'object') {
    check.report(
      node,
      'schema_subset',
      'output_schema must describe an object: the answer is always one',
      'output_schema',
    );
  }
}
