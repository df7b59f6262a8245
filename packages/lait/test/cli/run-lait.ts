import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningLait {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** What has come so far. */
  seen: { stdout: string; stderr: string };
}

export interface StartOptions {
  /** What is piped in; `open` leaves standard input open, absent is /dev/null. */
  stdin?: string | 'open';
  env?: Record<string, string>;
}

/** A fresh directory with files, by path; the home of the commands that run in it is elsewhere. */
export function directoryWith(files: Record<string, string>): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'lait-cli-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

/** Starts the real command line in a directory, with an environment of its own. */
export function startLait(
  directory: string,
  args: readonly string[],
  options: StartOptions = {},
): RunningLait {
  const { stdin, env = {} } = options;
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(directory, '..', 'no-home'),
      LAIT_TRUST: '1',
      ...env,
    },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const seen = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    seen.stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text;
  });
  if (stdin !== undefined && stdin !== 'open') child.stdin!.end(stdin);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...seen }));
  });
  return { child, ended, seen };
}

/** Runs the real command line to its end. */
export function lait(directory: string, args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startLait(directory, args, options).ended;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
