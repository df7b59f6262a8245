/** Where a run stands. Source: graph facts §1.10. */
export type RunStatus =
  | 'queued'
  | 'waiting_approval'
  | 'running'
  | 'waiting_hitl'
  | 'waiting_attention'
  | 'interrupted'
  | 'cancelling'
  | 'completed'
  | 'incomplete'
  | 'failed'
  | 'cancelled';

/** Every change of status that there is. */
const transitions: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['waiting_approval', 'running', 'cancelled', 'failed'],
  waiting_approval: ['queued', 'running', 'cancelled'],
  running: [
    'completed',
    'incomplete',
    'failed',
    'cancelling',
    'cancelled',
    'interrupted',
    'waiting_hitl',
    'waiting_attention',
  ],
  waiting_hitl: ['queued', 'cancelled'],
  waiting_attention: ['queued', 'failed', 'interrupted', 'cancelled'],
  cancelling: ['cancelled', 'failed', 'interrupted', 'waiting_attention'],
  interrupted: ['queued', 'cancelled'],
  completed: [],
  incomplete: [],
  failed: [],
  cancelled: [],
};

/** True when a run may go from one status to the other; staying where it is changes nothing and is allowed. */
export function mayChange(from: RunStatus, to: RunStatus): boolean {
  return from === to || transitions[from].includes(to);
}

/** True for a run that has ended for good. */
export function isTerminal(status: RunStatus): boolean {
  return transitions[status].length === 0;
}

/** True for a run that goes on only after somebody has done something. */
export function isParked(status: RunStatus): boolean {
  return status.startsWith('waiting_') || status === 'interrupted';
}

/** True while a process works on the run, or should. */
export function isWorkedOn(status: RunStatus): boolean {
  return status === 'running' || status === 'cancelling';
}

export const runStatuses = Object.keys(transitions) as readonly RunStatus[];

/** Those of runs that have not ended. */
export const unfinishedStatuses = runStatuses.filter((status) => !isTerminal(status));
