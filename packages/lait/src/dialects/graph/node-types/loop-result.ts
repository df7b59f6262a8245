import { isObject, type JsonObject, ownProperty } from '../../../values/value.js';
import type { GraphNodeType } from './node-type.js';

/** Ends an iteration with the next state. Source: graph seed, loop_result Node. */
export const loopResultType: GraphNodeType = {
  type: 'loop_result',
  description: 'Ends an iteration and gives the next state.',
  keys: ['output_mapping'],
  end: true,
  check(node, check) {
    if (node.parent_loop_node_id === null) {
      check.report(node, 'loop_scope', 'a loop_result belongs into a loop: set parent_loop_node_id');
    }
    const mapping = ownProperty(node.config, 'output_mapping');
    if (!isObject(mapping)) {
      check.report(
        node,
        'output_mapping_shape',
        'output_mapping must be an object of values',
        'output_mapping',
      );
      return;
    }
    check.value(mapping, [...node.configPath, 'output_mapping'], check.placeOf(node), {
      schema: check.loopState(node.parent_loop_node_id),
      code: 'state_value',
      severity: 'warning',
    });
  },
  output: (node, check) => check.loopState(node.parent_loop_node_id),
  lower: (node, lowering) => ({
    kind: 'loop_result',
    fields: {},
    input: lowering.value(node.config.output_mapping as JsonObject),
  }),
};
