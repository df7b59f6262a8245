import type { GraphAgentFields } from '../../../kinds/graph-agent.js';
import { type JsonObject, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';
import { checkInputs, checkOutputSchema } from './inputs.js';
import type { GraphNodeType } from './node-type.js';
import { retryPolicy } from './retry.js';

/** What an agent decides itself: a node that says otherwise would be ignored. Source: graph seed, agent Node. */
const overrides = [
  'prompt',
  'system',
  'system_prompt',
  'instructions',
  'model',
  'provider',
  'temperature',
  'max_tokens',
  'reasoning_effort',
  'tools',
  'mcp',
];

/** Asks an agent with its newest settings and checks its answer. Source: graph seed, agent Node; facts §2.2. */
export const agentType: GraphNodeType = {
  type: 'agent',
  description: 'Asks an agent; its answer must fit the output_schema.',
  keys: ['agent_id', 'inputs', 'output_schema', 'retry'],
  refuses: { code: 'agent_unknown_keys', keys: overrides },
  check(node, check) {
    const id = ownProperty(node.config, 'agent_id');
    if (typeof id !== 'string' || id.trim() === '') {
      check.report(node, 'agent_id_required', 'an agent node needs an agent_id', 'agent_id');
    } else checkRegistered(node, id, check);
    checkInputs(node, check, { code: 'inputs_shape' });
    checkOutputSchema(node, check);
    if (Object.hasOwn(node.config, 'retry'))
      check.warn(node, 'retry_ignored', 'agent nodes are not repeated: retry is ignored', 'retry');
  },
  output: (node) => ownProperty(node.config, 'output_schema'),
  lower(node, lowering) {
    const fields: GraphAgentFields = {
      agent_id: node.config.agent_id as string,
      output_schema: node.config.output_schema as JsonObject,
    };
    return {
      kind: 'graph_agent',
      fields,
      input: lowering.value(node.config.inputs ?? {}),
      retry: retryPolicy(undefined),
    };
  },
};

function checkRegistered(node: GraphNode, id: string, check: GraphCheck): void {
  const { options } = check;
  if (options.agents === undefined || options.agents.has(id)) return;
  if (options.onUnknownName !== undefined) options.onUnknownName();
  else {
    const misnamed = { name: id, known: options.agents };
    check.report(node, 'agent_unknown', { message: `no agent '${id}' exists`, misnamed }, 'agent_id');
  }
}
