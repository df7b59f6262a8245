import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseProcessStatus } from '../tools/process-table.js';

/** Tells a process from every other one, also from a later one with the same number. */
export interface ProcessIdentity {
  host: string;
  pid: number;
  /** When it started, in the system's own units; absent where the system does not say. */
  started?: string;
}

/** What tells this process from others, also from a later one with its number. */
export function ownIdentity(): ProcessIdentity {
  const started = startOf(process.pid);
  return { host: hostname(), pid: process.pid, ...(started === undefined ? {} : { started }) };
}

/** False only when it is certain that the process has ended. One on another machine counts as alive. */
export function mayBeAlive({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as { code?: string }).code === 'ESRCH') return false;
  }
  if (process.platform !== 'linux') return true;
  const now = startOf(pid);
  return now !== undefined && (started === undefined || now === started);
}

/** Undefined for a process that is gone or a zombie, and where there is no `/proc`. */
function startOf(pid: number): string | undefined {
  try {
    return parseProcessStatus(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.startTime;
  } catch {
    return undefined;
  }
}
