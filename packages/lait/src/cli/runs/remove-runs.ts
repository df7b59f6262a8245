import { UsageError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import type { RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import type { CommandContext } from '../command-context.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';
import { runStatus, runStore } from './run-store.js';

/**
 * `lait runs rm`: removes runs of both kinds. Every id is looked up before the first is removed. Throws a `UsageError`
 * without ids, `run_not_found`, `run_active` for a run that has not ended, and what `CheckpointStore.remove` throws.
 */
export async function removeRuns(
  names: readonly string[],
  { completed, ...options }: StoreOptions & { completed?: true },
  context: CommandContext,
): Promise<void> {
  if (names.length === 0 && completed !== true) {
    throw new UsageError({ code: 'usage', message: 'name the runs to remove, or give --completed' });
  }
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const store = await records.store();
    const recorded: string[] = [];
    const checkpoints: string[] = [];
    for (const name of names) {
      const record = name === 'latest' ? undefined : await readable(store.read(name));
      if (record === 'damaged') {
        recorded.push(name);
        continue;
      }
      if (record === undefined && options.database === undefined) {
        checkpoints.push(await checkpointNamed(name, context));
        continue;
      }
      const { run_id, status } = record ?? (await records.find(name));
      if (!isTerminal(status)) throw notEnded(run_id, status);
      recorded.push(run_id);
    }
    if (completed === true) {
      for (const { run_id } of await store.list({ statuses: ['completed'] })) recorded.push(run_id);
      if (options.database === undefined) {
        for (const run of await runStore(context).list())
          if (runStatus(run) === 'completed') checkpoints.push(run.run_id);
      }
    }
    for (const id of new Set(recorded)) await store.remove(id);
    for (const id of new Set(checkpoints)) await runStore(context).remove(id);
    for (const id of new Set([...recorded, ...checkpoints])) context.output.note(`removed run '${id}'`);
  } finally {
    await records.close();
  }
}

/** A run whose record cannot be read any more can only be removed. */
async function readable(reading: Promise<RunRecord | undefined>): Promise<RunRecord | undefined | 'damaged'> {
  try {
    return await reading;
  } catch (error) {
    if (isLaitError(error) && error.code === 'file_damaged') return 'damaged';
    throw error;
  }
}

async function checkpointNamed(name: string, context: CommandContext): Promise<string> {
  const store = runStore(context);
  const id = await store.resolve(name);
  if (!(await store.ids()).includes(id)) await store.read(id);
  return id;
}

function notEnded(runId: string, status: string): UsageError {
  return new UsageError({
    code: 'run_active',
    message: `run '${runId}' is ${status} and is not removed; \`lait runs cancel ${runId}\` ends it`,
  });
}
