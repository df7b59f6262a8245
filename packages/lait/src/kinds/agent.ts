import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import { attachmentFields, modelSettingFields, toolSelectionFields } from '../plan/settings-fields.js';
import { runAgent } from './agent-conversation.js';
import { type AttachmentFields, attachesFiles, attachmentExpressions } from './attachments.js';
import { findAgent, isAgentPath } from './find-agent.js';
import { completed, type Kind } from './kind.js';
import { fallBack, offersTools } from './model-settings.js';
import { checkInput } from './schema-values.js';

export interface AgentFields extends ModelSettings, ToolSelection, AttachmentFields {
  agent: string;
}

/** `agent`: asks a model through an agent definition. Source: steps seed, `agent`; facts §10. */
export const agentKind: Kind<AgentFields> = {
  name: 'agent',
  shape: 'action',
  description: 'Asks a model through an agent definition; the input is the user message.',
  fields: {
    agent: {
      type: 'text',
      notBlank: true,
      required: true,
      description:
        'A name under agents: of this file, a path to a Markdown file, or a name under agents: of lait.config.yml.',
    },
    ...modelSettingFields,
    ...toolSelectionFields,
    ...attachmentFields,
  },
  callsModel: true,
  callsAgent: ({ agent }) => agent,
  effects: 'rerun',
  reaches: (fields) => (attachesFiles(fields) || isAgentPath(fields.agent) ? ['files'] : []),
  // The agent's system prompt sees every recorded step, and is known only when the step runs.
  readsAllSteps: () => true,
  // Only of an agent of this file is it known before it runs what it answers with.
  replyIsValue(fields, { settings, defaults }) {
    const agent = Object.hasOwn(settings.agents, fields.agent) ? settings.agents[fields.agent] : undefined;
    if (agent === undefined || agent.outputSchema !== undefined || agent.answer !== undefined) return false;
    return !offersTools(fields, agent, settings.defaults, defaults);
  },
  expressions: attachmentExpressions,
  async modelUse(fields, lookup) {
    const agent = await findAgent(fields.agent, lookup);
    const { defaults } = lookup.settings;
    return {
      ...fallBack(fields, agent, defaults, lookup.services.models.defaults),
      system: agent.system,
      agent,
      ...(agent.outputSchema === undefined ? {} : { outputSchema: agent.outputSchema }),
    };
  },
  async execute(fields, context) {
    const { plan, settings, services, cancel } = context;
    const agent = await findAgent(fields.agent, { plan, settings, services, signal: cancel.signal });
    await checkInput(agent.inputSchema, context);
    const { files, images } = fields;
    const value = await runAgent(
      { agent, input: context.input, step: fields, attachments: { files, images } },
      context,
    );
    return completed(value);
  },
};
