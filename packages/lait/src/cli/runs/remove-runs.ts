import { UsageError } from '../../errors/errors.js';
import type { CommandContext } from '../command-context.js';
import { runStatus, runStore } from './run-store.js';

/**
 * `lait runs rm`: removes runs. Every id is looked up before the first is removed. Throws a `UsageError` without ids,
 * and what `CheckpointStore.remove` throws.
 */
export async function removeRuns(
  names: readonly string[],
  { completed }: { completed?: true },
  context: CommandContext,
): Promise<void> {
  const store = runStore(context);
  if (names.length === 0 && completed !== true) {
    throw new UsageError({ code: 'usage', message: 'name the runs to remove, or give --completed' });
  }
  const ids = new Set<string>();
  for (const name of names) ids.add(await store.resolve(name));
  const recorded = new Set(await store.ids());
  for (const id of ids) if (!recorded.has(id)) await store.read(id);
  if (completed === true) {
    for (const run of await store.list()) if (runStatus(run) === 'completed') ids.add(run.run_id);
  }
  for (const id of ids) {
    await store.remove(id);
    context.output.note(`removed run '${id}'`);
  }
}
