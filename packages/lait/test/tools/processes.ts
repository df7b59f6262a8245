import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

let counter = 0;

/** An argument for `sleep` that no other process has: about five minutes, and findable in the process list. */
export function uniqueSleep(): string {
  counter += 1;
  return `300.${process.pid}${String(counter).padStart(4, '0')}`;
}

/** The living processes whose command line holds the text. */
export function processesWith(text: string): number[] {
  return execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}

/** Whether there is a process of this id, be it one that has ended and was not waited for. */
export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until a condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}

/** The variables a test program may need, and nothing of the developer's machine. */
export const testVariables = { PATH: process.env.PATH };
