import { UsageError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import { readTextFile } from '../../files/read-file.js';
import { writeFileAtomically } from '../../files/write-file.js';
import type { ChatMessage } from '../../kinds/services.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../../values/value.js';

/** A conversation as it is kept between two commands. */
export interface Conversation {
  messages: readonly ChatMessage[];
  /** What an agent's system prompt sees as input; undefined without an agent. */
  agentInput?: Value;
}

/** Reads a session file; one that does not exist is an empty conversation. Throws a `UsageError` (`session_invalid`). */
export async function readSession(path: string, signal: AbortSignal): Promise<Conversation> {
  let text: string;
  try {
    text = await readTextFile(path, { signal, pipes: false });
  } catch (error) {
    if (isLaitError(error) && error.code === 'file_not_found') return { messages: [] };
    throw error;
  }
  const session = parse(text);
  const messages = isObject(session) ? session.messages : undefined;
  if (!isObject(session) || session.format !== 1 || !Array.isArray(messages) || !messages.every(isMessage)) {
    throw new UsageError({
      code: 'session_invalid',
      message: `${path} is no session file of lait: it is left as it is`,
    });
  }
  return {
    messages: messages as unknown as ChatMessage[],
    ...(session.agent_input === undefined ? {} : { agentInput: session.agent_input }),
  };
}

/** Keeps a conversation; known secrets in it are masked. Throws what `writeFileAtomically` throws. */
export async function writeSession(
  path: string,
  { messages, agentInput }: Conversation,
  secrets: SecretRegistry,
): Promise<void> {
  const session: JsonObject = {
    format: 1,
    ...(agentInput === undefined ? {} : { agent_input: agentInput }),
    messages: messages as unknown as JsonValue,
  };
  await writeFileAtomically(path, `${JSON.stringify(secrets.maskValue(session), null, 2)}\n`, {
    mode: 0o600,
  });
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(message: JsonValue): boolean {
  if (!isObject(message)) return false;
  const { role, content, tool_call_id, tool_calls } = message;
  switch (role) {
    case 'user':
      return typeof content === 'string' || Array.isArray(content);
    case 'assistant':
      return (
        (typeof content === 'string' || content === null) &&
        (tool_calls === undefined || Array.isArray(tool_calls))
      );
    case 'tool':
      return typeof content === 'string' && typeof tool_call_id === 'string';
    default:
      return false;
  }
}
