import type { ListedRun } from '../../runs/checkpoint-store.js';
import type { RunRecord } from '../../runs/run-record.js';
import { preview, printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';
import { recordStatus, runStatus, runStore } from './run-store.js';

/** A line of the list: a checkpoint, or a run that can wait. */
type Entry = { run_id: string; started: string; row: string[]; json: object; problem?: string };

/**
 * `lait runs list`: one line per run, checkpoints and runs that can wait, the newest first; records that cannot be read
 * are listed, with the reason as a warning. With a database only its runs. Source: facts §15.
 */
export async function listRuns(
  { json, ...options }: StoreOptions & { json?: true },
  context: CommandContext,
): Promise<void> {
  const { output } = context;
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const store = await records.store();
    const runs = await store.list();
    const entries = await Promise.all(runs.map((run) => recordEntry(run, options, context)));
    if (options.database === undefined) {
      const checkpoints = await runStore(context).list();
      entries.push(...without(runs, checkpoints).map(checkpointEntry));
      const problems = without(checkpoints, (await store.problems?.()) ?? []);
      entries.push(...problems.map(checkpointEntry));
    }
    entries.sort((a, b) => compare(b.started, a.started) || compare(b.run_id, a.run_id));
    if (json === true) await output.writeJson(entries.map((entry) => entry.json));
    else if (entries.length > 0) await output.write(tableText(entries.map(({ row }) => row)));
    else
      output.note(
        'there are no recorded runs here; `lait run FILE` records those of graphs, `--checkpoint` others',
      );
    for (const { run_id, problem } of entries) {
      if (problem !== undefined) output.warning(`${problem} (\`lait runs rm ${run_id}\` removes it)`);
    }
  } finally {
    await records.close();
  }
}

/** The runs of one list that are not in another. */
function without<T extends { run_id: string }>(
  others: readonly { run_id: string }[],
  runs: readonly T[],
): T[] {
  const known = new Set(others.map(({ run_id }) => run_id));
  return runs.filter(({ run_id }) => !known.has(run_id));
}

async function recordEntry(run: RunRecord, options: StoreOptions, context: CommandContext): Promise<Entry> {
  const { run_id, definition, questions, created_at, updated_at, source_run_id, error_summary } = run;
  const status = await recordStatus(run, options, context);
  const asked = questions.map(({ node_id, question }) => `${node_id ?? ''}: ${question.text}`);
  const about = asked.length > 0 ? asked.join('; ') : (error_summary ?? '');
  const file = definition.sources[0]?.file ?? definition.id;
  return {
    run_id,
    started: created_at,
    row: [run_id, status, preview(about, 40), printable(file)],
    json: {
      run_id,
      status,
      form: definition.form,
      workflow: definition.id,
      workflow_path: file,
      questions,
      error: error_summary ?? null,
      started_at: created_at,
      updated_at,
      parent: source_run_id === undefined ? null : { run_id: source_run_id },
    },
  };
}

function checkpointEntry(run: ListedRun): Entry {
  const status = runStatus(run);
  const { run_id } = run;
  if ('problem' in run) {
    const { problem } = run;
    return {
      run_id,
      started: timeOf(run_id),
      row: [run_id, status, '', preview(problem)],
      json: { run_id, status, problem },
      problem,
    };
  }
  const {
    completed_index,
    top_level_labels: labels,
    workflow_path,
    parent,
    started_at,
    updated_at,
  } = run.checkpoint;
  const done = (completed_index ?? -1) + 1;
  return {
    run_id,
    started: started_at ?? timeOf(run_id),
    row: [run_id, status, `step ${done}/${labels.length}`, printable(workflow_path)],
    json: {
      run_id,
      status,
      workflow_path,
      completed_steps: done,
      steps: labels.length,
      started_at: started_at ?? null,
      updated_at: updated_at ?? null,
      parent: parent ?? null,
    },
  };
}

/** The time in an id that begins with one, for records that say no other. */
function timeOf(runId: string): string {
  return runId.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d{3}).*$/, '$1-$2-$3T$4:$5:$6.$7Z');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
