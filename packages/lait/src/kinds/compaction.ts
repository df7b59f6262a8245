import type { StepContext } from './kind.js';
import { callModel } from './model-call.js';
import type { ChatMessage, ResolvedModel } from './services.js';

const instruction = [
  'Summarise the conversation below, so that the work can go on from your summary alone.',
  'Keep the goal, decisions, facts, names, numbers and file paths that were found, and what is still open.',
  'Write in the language of the conversation. Answer with the summary only.',
].join(' ');

/**
 * Replaces everything between the user's message and the last `keepLast` messages by a summary that the model writes.
 * Calls and their results are never torn apart: an exchange is kept or summarised as a whole. Source: facts §12.
 */
export async function compactHistory(
  history: ChatMessage[],
  keepLast: number,
  round: number,
  model: ResolvedModel,
  context: StepContext,
): Promise<void> {
  const start = history.findIndex((message) => message.role === 'assistant');
  let end = Math.max(start, history.length - keepLast);
  while (end > start && history[end]?.role === 'tool') end -= 1;
  if (start === -1 || end - start < 2) return;
  const startedAt = Date.now();
  const reply = await callModel(
    {
      model,
      messages: [
        { role: 'system', content: instruction },
        { role: 'user', content: transcript(history.slice(0, end)) },
      ],
    },
    { name: `compaction[${round}]`, round },
    context,
  );
  const summary: ChatMessage = {
    role: 'user',
    content: `Summary of the work so far:\n\n${reply.content ?? ''}`,
  };
  const removed = end - start;
  history.splice(start, removed, summary);
  if (!context.listening) return;
  context.emit({
    type: 'history.compacted',
    address: context.address,
    label: context.node.label,
    removed,
    startedAt,
    endedAt: Date.now(),
  });
}

function transcript(messages: readonly ChatMessage[]): string {
  return messages.map(spoken).join('\n\n');
}

function spoken(message: ChatMessage): string {
  switch (message.role) {
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(
        (call) => `[calls ${call.function.name} ${call.function.arguments}]`,
      );
      return ['assistant:', message.content, ...calls].filter((part) => part !== null).join('\n');
    }
    case 'tool':
      return `result of ${message.tool_call_id}:\n${message.content}`;
    default:
      return `${message.role}:\n${textOf(message.content)}`;
  }
}

function textOf(content: Extract<ChatMessage, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '[an image]')).join('\n');
}
