import { join } from 'node:path';
import type { ListedRun } from '../../runs/checkpoint-store.js';
import { CheckpointStore } from '../../runs/checkpoint-store.js';
import type { CommandContext } from '../command-context.js';

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
  return failure === undefined ? 'interrupted' : 'failed';
}
