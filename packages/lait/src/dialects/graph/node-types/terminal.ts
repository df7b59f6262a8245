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
      const misnamed = { name: String(outcome), known: ['success', 'failure'] };
      const message = "outcome must be 'success' or 'failure'";
      check.report(node, 'terminal_outcome', { message, misnamed }, 'outcome');
    }
  },
  lower: (node) => ({ kind: 'terminal', fields: { outcome: node.config.outcome } }),
};
