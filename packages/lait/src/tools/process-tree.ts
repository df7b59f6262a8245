import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessEntry, readProcessTable, startedWith, treeOf } from './process-table.js';

/** How long a tree may take to end by itself after it was asked to. */
const graceMilliseconds = 500;
/** How long we wait for the kernel to end what was killed. */
const reapMilliseconds = 1000;
const pollMilliseconds = 25;
/** How long output may still arrive once nothing of a group is left. */
const drainMilliseconds = 200;

/** Groups of programs that are running; nothing of them may outlive this process. */
const running = new Set<number>();
/** Groups whose program has ended and left something in the background. */
const leftBehind = new Set<number>();
let exitHookInstalled = false;

/** Registers a process group that must not outlive this process. `leader` is the process id of its first member. */
export function registerTree(leader: number): void {
  if (!exitHookInstalled) {
    exitHookInstalled = true;
    process.on('exit', killRegisteredTrees);
  }
  running.add(leader);
}

/** Forgets a group when it has no members left; what was left in the background stays registered. */
export function unregisterTree(leader: number): void {
  running.delete(leader);
  if (isGroupAlive(leader)) leftBehind.add(leader);
  // The number of a group that has ended since may be given to a stranger.
  for (const other of leftBehind) if (!hasMembers(other)) leftBehind.delete(other);
}

/** Ends everything that was registered, at once and without waiting: for the moment this process exits. */
export function killRegisteredTrees(): void {
  for (const leader of [...running, ...leftBehind]) {
    if (process.platform === 'win32') {
      const [program, ...arguments_] = treeKillCommand(leader);
      spawnSync(program, arguments_, { windowsHide: true, stdio: 'ignore' });
      continue;
    }
    const escaped = treeOf(readProcessTable(), leader);
    send(-leader, 'SIGKILL');
    for (const entry of escaped) send(entry.pid, 'SIGKILL');
  }
  running.clear();
  leftBehind.clear();
}

/** True while the group has a member that is not a zombie. */
function isGroupAlive(leader: number): boolean {
  return hasMembers(leader) && isInTable(leader, readProcessTable());
}

/**
 * Ends a process tree: asks (SIGTERM), and after a grace of half a second kills (SIGKILL) its group and every
 * descendant that left the group, on Linux also those that no parent leads to any more but that were started with
 * `mark`. Comes back when all have ended, at the latest about a second and a half later. Source: steps facts §10, field
 * report FR-23.
 *
 * @param mark an entry `NAME=value` of the environment that nothing else on the machine has
 * @returns the process ids that could not be ended
 */
export async function killTree(leader: number, mark?: string): Promise<number[]> {
  if (process.platform === 'win32') {
    const [program, ...arguments_] = treeKillCommand(leader);
    await new Promise<void>((resolve) => {
      const killer = spawn(program, arguments_, { windowsHide: true, stdio: 'ignore' });
      killer.once('error', () => resolve());
      killer.once('close', () => resolve());
    });
    return [];
  }
  const tracked = new Map<string, ProcessEntry>();
  const signalAll = (signal: NodeJS.Signals) => {
    const table = readProcessTable();
    const marked = mark === undefined ? [] : startedWith(table, mark);
    for (const entry of [...treeOf(table, leader), ...marked]) tracked.set(identity(entry), entry);
    send(-leader, signal);
    for (const entry of stillLiving(tracked)) if (entry.group !== leader) send(entry.pid, signal);
  };
  signalAll('SIGTERM');
  if (await ended(leader, tracked, graceMilliseconds)) return [];
  signalAll('SIGKILL');
  await ended(leader, tracked, reapMilliseconds);
  return stillLiving(tracked).map((entry) => entry.pid);
}

/** Resolves a moment after the last member of the group has gone, or when the signal fires. */
export async function untilGroupGone(leader: number, signal: AbortSignal): Promise<void> {
  try {
    do await delay(drainMilliseconds, undefined, { signal });
    while (isGroupAlive(leader));
    await delay(drainMilliseconds, undefined, { signal });
  } catch {
    // the caller has seen the end another way
  }
}

/** The command that ends a process and its descendants on Windows, where there are no process groups. */
export function treeKillCommand(leader: number): [string, ...string[]] {
  return ['taskkill', '/PID', String(leader), '/T', '/F'];
}

async function ended(leader: number, tracked: Map<string, ProcessEntry>, limit: number): Promise<boolean> {
  for (let waited = 0; ; waited += pollMilliseconds) {
    const table = readProcessTable();
    const groupEnded = !hasMembers(leader) || !isInTable(leader, table);
    if (groupEnded && stillLiving(tracked, table).length === 0) return true;
    if (waited >= limit) return false;
    await delay(pollMilliseconds);
  }
}

/** Whether the group exists, zombies included. */
function hasMembers(leader: number): boolean {
  return send(process.platform === 'win32' ? leader : -leader, 0);
}

/** Whether a group that exists has living members; an empty table cannot tell. */
function isInTable(leader: number, table: readonly ProcessEntry[]): boolean {
  return table.length === 0 || table.some(({ group }) => group === leader);
}

function stillLiving(tracked: Map<string, ProcessEntry>, table = readProcessTable()): ProcessEntry[] {
  return table.filter((entry) => tracked.has(identity(entry)));
}

function identity(entry: ProcessEntry): string {
  return `${entry.pid}@${entry.startTime}`;
}

/** Sends a signal; false when nobody is there to receive it. A process of another user is there. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
