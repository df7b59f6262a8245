import { join } from 'node:path';
import type { ListedRun } from '../../runs/checkpoint-store.js';
import { CheckpointStore } from '../../runs/checkpoint-store.js';
import type { RunRecord } from '../../runs/run-record.js';
import type { RunStatus } from '../../runs/run-status.js';
import type { CommandContext } from '../command-context.js';
import type { StoreOptions } from './recorded-runs.js';

/** The records of the directory that the command was started in. */
export function runStore({ workingDirectory }: CommandContext): CheckpointStore {
  return new CheckpointStore(join(workingDirectory, '.lait'));
}

/** What people are told about how a run stands: `running` while a process holds it. */
export function runStatus(run: ListedRun): 'running' | 'failed' | 'completed' | 'interrupted' | 'unreadable' {
  if (run.running !== undefined) return 'running';
  if ('problem' in run) return 'unreadable';
  const { status, failure } = run.checkpoint;
  if (status === 'completed') return 'completed';
  // A process that was killed had no time to say why.
  return failure === undefined || failure.cancelled === true ? 'interrupted' : 'failed';
}

/**
 * How a run that can wait stands. One whose process has ended is called interrupted: nobody works on it. That is known of
 * files only; a database says when a claim has run out to those who want to take it.
 */
export async function recordStatus(
  { run_id, status }: RunRecord,
  { database }: StoreOptions,
  context: CommandContext,
): Promise<RunStatus> {
  if ((status !== 'running' && status !== 'cancelling') || database !== undefined) return status;
  return (await runStore(context).holder(run_id)) === undefined ? 'interrupted' : status;
}
