import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import { textOf } from '../values/text.js';
import type { JsonObject } from '../values/value.js';
import { runConversation } from './conversation.js';
import { completed, type Kind } from './kind.js';
import { fallBack } from './model-settings.js';
import type { ChatMessage } from './services.js';

export interface ChatFields {
  /** What was said before, without the system prompt. */
  history: readonly ChatMessage[];
  system?: string;
  settings?: ModelSettings & ToolSelection;
}

/**
 * `chat`: one turn of a session, run by the command line and not written in files. Its input is what the user says,
 * its value `{text, messages}`: the answer, and the history for the next turn.
 */
export const chatKind: Kind<ChatFields> = {
  name: 'chat',
  shape: 'action',
  description: 'One turn of a chat.',
  callsModel: true,
  effects: 'rerun',
  async execute({ history, system, settings }, context) {
    const { text, messages } = await runConversation(
      {
        ...fallBack(settings, context.services.models.defaults),
        system,
        messages: [...history, { role: 'user', content: textOf(context.input) }],
      },
      context,
    );
    return completed({ text, messages } as unknown as JsonObject);
  },
};
