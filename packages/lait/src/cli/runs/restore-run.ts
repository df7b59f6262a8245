import type { CommandContext } from '../command-context.js';
import { quoteCommand, usualShell } from '../shell-quote.js';
import { runStore } from './run-store.js';

/** `lait runs restore`: goes back to the last whole record of a run. Throws what `CheckpointStore.restore` throws. */
export async function restoreRun(name: string, context: CommandContext): Promise<void> {
  const store = runStore(context);
  const runId = await store.resolve(name);
  const { checkpoint, damagedPath } = await store.restore(runId);
  const { completed_index: last, top_level_labels: labels, workflow_path: file } = checkpoint;
  const shell = usualShell(process.platform, process.env);
  const resume = quoteCommand(['lait', 'run', file, '--resume', runId], shell);
  const done = (last ?? -1) + 1;
  context.output.note(
    `restored run '${runId}' as it was after ${done} of ${labels.length} steps; resume with \`${resume}\``,
  );
  context.output.note(`the damaged record is kept as ${damagedPath}`);
}
