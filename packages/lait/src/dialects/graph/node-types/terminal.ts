import { ownProperty } from '../../../values/value.js';
import type { GraphNodeType } from './node-type.js';

/** Ends the graph. Source: graph seed, terminal Node. */
export const terminalType: GraphNodeType = {
  type: 'terminal',
  description: 'Ends the run with success or failure.',
  keys: ['outcome'],
  end: true,
  check(node, check) {
    const outcome = ownProperty(node.config, 'outcome');
    if (outcome !== 'success' && outcome !== 'failure') {
      check.report(node, 'terminal_outcome', "outcome must be 'success' or 'failure'", 'outcome');
    }
  },
  lower: (node) => ({ kind: 'terminal', fields: { outcome: node.config.outcome } }),
};
