import type { AgentPlan } from '../plan/agent.js';
import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import type { SchemaSource } from '../schema/schema-source.js';
import { textOf } from '../values/text.js';
import type { JsonObject, Value } from '../values/value.js';
import { type AttachmentFields, userMessage } from './attachments.js';
import { runConversation } from './conversation.js';
import { completed, type Kind } from './kind.js';
import { fallBack } from './model-settings.js';
import { checkInput, outputFormat } from './schema-values.js';
import type { ChatMessage } from './services.js';

export interface ChatFields extends AttachmentFields {
  /** What was said before, without the system prompt. */
  history: readonly ChatMessage[];
  system?: string;
  settings?: ModelSettings & ToolSelection;
  /** Who answers: the agent's system prompt, settings and schemas apply. `system` is not used then. */
  agent?: AgentPlan;
  /** What `{{ input }}` is in the agent's system prompt. */
  agentInput?: Value;
  /** Asks for a structured reply. Default: the agent's. */
  outputSchema?: SchemaSource;
}

/**
 * `chat`: one turn of a session, run by the command line and not written in files. Its input is what the user says,
 * word for word; without one the conversation goes on where the history ends. Its value is
 * `{value, text, messages}`: the answer, as the model wrote it, and the history for the next turn.
 */
export const chatKind: Kind<ChatFields> = {
  name: 'chat',
  shape: 'action',
  description: 'One turn of a chat.',
  callsModel: true,
  effects: 'rerun',
  async execute({ history, system, settings, agent, agentInput, outputSchema, files, images }, context) {
    await checkInput(agent?.inputSchema, context, agentInput);
    const output = await outputFormat(
      outputSchema ?? agent?.outputSchema,
      outputSchema === undefined ? agent?.schemaName : undefined,
      context.cancel.signal,
    );
    const attachments = { files: files ?? agent?.files, images: images ?? agent?.images };
    const said =
      context.input === undefined ? [] : [await userMessage(textOf(context.input), attachments, context)];
    const { value, text, messages } = await runConversation(
      {
        ...fallBack(settings, agent, context.services.models.defaults),
        system: agent === undefined ? system : context.evaluate(agent.system, agentInput),
        messages: [...history, ...said],
        output,
      },
      context,
    );
    return completed({ value, text, messages } as unknown as JsonObject);
  },
};
