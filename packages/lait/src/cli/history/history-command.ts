import { UsageError } from '../../errors/errors.js';
import { preview, printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { type HistoryEntry, HistoryFile } from './history-file.js';

export interface HistoryOptions {
  json?: true;
  limit?: number;
  search?: string;
  here?: true;
}

/** `lait history list`: the newest entries, the newest last. Numbers count from the newest, which is 1. */
export async function listHistory(options: HistoryOptions, context: CommandContext): Promise<undefined> {
  const { output, workingDirectory, signal } = context;
  const all = await new HistoryFile(context.inherited).read(signal);
  const word = options.search?.toLowerCase();
  const found = all
    .map((entry, index) => ({ number: all.length - index, entry }))
    .filter(({ entry }) => options.here !== true || entry.directory === workingDirectory)
    .filter(({ entry }) => word === undefined || textOf(entry).toLowerCase().includes(word))
    .slice(-(options.limit ?? 20));
  if (options.json === true) {
    await output.writeJson(found.map(({ number, entry }) => ({ number, ...entry })));
    return;
  }
  if (all.length === 0) {
    output.note('there is no history; `default: { history: true }` in the configuration keeps one');
  }
  await output.write(
    tableText(
      found.map(({ number, entry }) => [
        String(number),
        entry.at.slice(0, 16).replace('T', ' '),
        entry.exit_code === 0 ? 'ok' : `exit ${entry.exit_code}`,
        `${entry.command} ${preview(entry.name, 40)}`,
        preview(entry.prompt ?? '', 60),
      ]),
    ),
  );
}

/** `lait history show`: one entry whole. Throws a `UsageError` (code `history_not_found`). */
export async function showHistory(
  number: number,
  { json }: { json?: true },
  { output, inherited, signal }: CommandContext,
): Promise<undefined> {
  const all = await new HistoryFile(inherited).read(signal);
  const entry = all[all.length - number];
  if (entry === undefined) {
    throw new UsageError({
      code: 'history_not_found',
      message: `the history has no entry ${number}; it holds ${all.length}, and 1 is the newest`,
    });
  }
  if (json === true) {
    await output.writeJson({ number, ...entry });
    return;
  }
  const { at, command, name, directory, exit_code, duration_ms, prompt, answer } = entry;
  const about = { at, command, name, directory, 'exit code': exit_code, seconds: duration_ms / 1000 };
  const lines = Object.entries(about).map(([key, value]) => `${key}: ${preview(String(value))}`);
  if (prompt !== null) lines.push('', printable(prompt));
  if (answer !== null) lines.push('', printable(answer));
  await output.write(`${lines.join('\n')}\n`);
}

export async function clearHistory({ output, inherited }: CommandContext): Promise<undefined> {
  await new HistoryFile(inherited).clear();
  output.note('the history is empty');
  return undefined;
}

function textOf({ name, prompt, answer }: HistoryEntry): string {
  return [name, prompt, answer].join('\n');
}
