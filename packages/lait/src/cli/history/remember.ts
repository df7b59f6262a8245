import { messageChain } from '../../errors/lait-error.js';
import type { CommandContext } from '../command-context.js';
import { type HistoryEntry, HistoryFile } from './history-file.js';

/**
 * Keeps an entry where `default.history` asks for a history. What was done is done: a history that cannot be written is
 * a warning.
 */
export async function remember(
  entry: Omit<HistoryEntry, 'directory'>,
  context: CommandContext,
): Promise<void> {
  const configuration = await context.configuration().catch(() => undefined);
  if (configuration?.values.default?.history !== true) return;
  const { inherited, secrets, output, workingDirectory } = context;
  try {
    await new HistoryFile(inherited).add({ ...entry, directory: workingDirectory }, secrets);
  } catch (error) {
    output.warning(`the history could not be kept: ${messageChain(error)}`);
  }
}
