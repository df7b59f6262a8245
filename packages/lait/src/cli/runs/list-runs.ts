import { preview, printable } from '../../observe/printable.js';
import type { ListedRun } from '../../runs/checkpoint-store.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { runStatus, runStore } from './run-store.js';

/** `lait runs list`: one line per run; records that cannot be read are listed with the reason. Source: facts §15. */
export async function listRuns({ json }: { json?: true }, context: CommandContext): Promise<void> {
  const { output } = context;
  const runs = await runStore(context).list();
  if (json === true) {
    await output.writeJson(runs.map(listedJson));
    return;
  }
  if (runs.length === 0) {
    output.note('there are no recorded runs here; `lait run FILE --checkpoint` records one');
    return;
  }
  await output.write(tableText(runs.map(listedRow)));
}

function listedRow(run: ListedRun): string[] {
  if ('problem' in run) return [run.run_id, runStatus(run), '', preview(run.problem)];
  const { checkpoint } = run;
  const { completed_index: index, top_level_labels: labels, workflow_path: file } = checkpoint;
  return [run.run_id, runStatus(run), `step ${(index ?? -1) + 1}/${labels.length}`, printable(file)];
}

function listedJson(run: ListedRun): object {
  const status = runStatus(run);
  if ('problem' in run) return { run_id: run.run_id, status, problem: run.problem };
  const { checkpoint } = run;
  return {
    run_id: run.run_id,
    status,
    workflow_path: checkpoint.workflow_path,
    completed_steps: (checkpoint.completed_index ?? -1) + 1,
    steps: checkpoint.top_level_labels.length,
    started_at: checkpoint.started_at ?? null,
    updated_at: checkpoint.updated_at ?? null,
    parent: checkpoint.parent ?? null,
  };
}
