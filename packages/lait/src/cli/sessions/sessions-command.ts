import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import { messageChain } from '../../errors/lait-error.js';
import type { ChatMessage } from '../../kinds/services.js';
import { preview, printable } from '../../values/printable.js';
import { readSession } from '../chat/session-file.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';

/** Where conversations are kept that were given a name, or that could not be ended. */
const sessionsDirectory = join('.lait', 'sessions');

interface Listed {
  name: string;
  path: string;
  /** ISO 8601. */
  changed_at: string;
  messages: number;
  first: string;
}

/** `lait sessions list`: the conversations of this directory, the newest last. */
export async function listSessions({ json }: { json?: true }, context: CommandContext): Promise<undefined> {
  const { output, workingDirectory, signal } = context;
  const listed: Listed[] = [];
  for (const name of await namesIn(join(workingDirectory, sessionsDirectory))) {
    const path = join(sessionsDirectory, `${name}.json`);
    try {
      const { messages } = await readSession(join(workingDirectory, path), signal);
      const { mtime } = await stat(join(workingDirectory, path));
      listed.push({
        name,
        path,
        changed_at: mtime.toISOString(),
        messages: messages.length,
        first: firstWords(messages),
      });
    } catch (error) {
      signal.throwIfAborted();
      output.warning(messageChain(error));
    }
  }
  listed.sort((one, other) => (one.changed_at < other.changed_at ? -1 : 1));
  if (json === true) {
    await output.writeJson(listed);
    return;
  }
  if (listed.length === 0) {
    output.note(
      `no sessions in ${sessionsDirectory}; \`lait chat --session ${join(sessionsDirectory, 'NAME.json')}\` keeps one`,
    );
  }
  await output.write(
    tableText(
      listed.map(({ name, changed_at, messages, first }) => [
        preview(name),
        changed_at.slice(0, 16).replace('T', ' '),
        `${messages} messages`,
        preview(first, 60),
      ]),
    ),
  );
}

/** `lait sessions show`: what was said. Throws a `UsageError` (code `session_not_found`, `session_invalid`). */
export async function showSession(
  name: string,
  { json }: { json?: true },
  { output, workingDirectory, signal }: CommandContext,
): Promise<undefined> {
  const path = await existing(name, workingDirectory);
  const { messages } = await readSession(path, signal);
  if (json === true) {
    await output.writeJson(messages);
    return;
  }
  await output.write(
    messages.map((message) => `${message.role}:\n${printable(textOf(message))}\n`).join('\n'),
  );
}

/** `lait sessions rm`. All names are looked up before the first is removed. */
export async function removeSessions(
  names: readonly string[],
  { output, workingDirectory }: CommandContext,
): Promise<undefined> {
  const paths = await Promise.all(names.map((name) => existing(name, workingDirectory)));
  for (const path of paths) await rm(path);
  output.note(`removed ${names.map((name) => printable(name)).join(', ')}`);
  return undefined;
}

async function existing(name: string, workingDirectory: string): Promise<string> {
  const names = await namesIn(join(workingDirectory, sessionsDirectory));
  if (names.includes(name)) return join(workingDirectory, sessionsDirectory, `${name}.json`);
  throw new UsageError({
    code: 'session_not_found',
    message: `there is no session '${name}' in ${sessionsDirectory}; \`lait sessions list\` names them`,
  });
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
}

function firstWords(messages: readonly ChatMessage[]): string {
  const first = messages.find(({ role }) => role === 'user');
  return first === undefined ? '' : textOf(first);
}

function textOf(message: ChatMessage): string {
  const { content } = message;
  const text = Array.isArray(content)
    ? content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')
    : (content ?? '');
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [text, ...calls.map((call) => `-> ${call.function.name} ${call.function.arguments}`)]
    .filter((line) => line !== '')
    .join('\n');
}
