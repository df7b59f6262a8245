import { StepError } from '../errors/errors.js';
import type { AgentPlan } from '../plan/agent.js';
import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import { attachmentFields, modelSettingFields, toolSelectionFields } from '../plan/settings-fields.js';
import { didYouMean } from '../plan/suggest.js';
import { runAgent } from './agent-conversation.js';
import { type AttachmentFields, attachmentExpressions } from './attachments.js';
import { completed, type Kind, type StepContext } from './kind.js';
import { offersTools } from './model-settings.js';
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
  effects: 'rerun',
  // The agent's system prompt sees every recorded step, and is known only when the step runs.
  readsAllSteps: () => true,
  // Only of an agent of this file is it known before it runs what it answers with.
  replyIsValue(fields, { settings, defaults }) {
    const agent = Object.hasOwn(settings.agents, fields.agent) ? settings.agents[fields.agent] : undefined;
    if (agent === undefined || agent.outputSchema !== undefined || agent.answer !== undefined) return false;
    return !offersTools(fields, agent, settings.defaults, defaults);
  },
  expressions: attachmentExpressions,
  async execute(fields, context) {
    const agent = await findAgent(fields.agent, context);
    await checkInput(agent.inputSchema, context);
    const { files, images } = fields;
    const value = await runAgent(
      { agent, input: context.input, step: fields, attachments: { files, images } },
      context,
    );
    return completed(value);
  },
};

/** An entry of this file's `agents:`, else a file, else an agent of the configuration. */
async function findAgent(reference: string, context: StepContext): Promise<AgentPlan> {
  const { settings, plan, services } = context;
  const own = Object.hasOwn(settings.agents, reference) ? settings.agents[reference] : undefined;
  if (own !== undefined) return own;
  const { signal } = context.cancel;
  if (reference.includes('/') || reference.endsWith('.md')) {
    const directory = plan.directory ?? services.environment.workingDirectory;
    return services.agents.file(reference, directory, { signal });
  }
  const registered = await services.agents.registered(reference, { signal });
  if (registered !== undefined) return registered;
  const known = [...Object.keys(settings.agents), ...services.agents.registeredNames()];
  const hint = didYouMean(reference, known);
  throw new StepError({
    code: 'agent_unknown',
    category: 'definition',
    message: `there is no agent '${reference}': neither under agents: of this file nor of lait.config.yml${hint === undefined ? '' : `; ${hint}`}`,
  });
}
