import { spawn } from 'node:child_process';
import { CancelledError } from '../errors/errors.js';
import { LaitError } from '../errors/lait-error.js';
import { treeKillCommand } from '../tools/process-tree.js';

const timeLimitSeconds = 30;
const outputLimitBytes = 64 * 1024;

type KeyCommand = string | readonly string[];

interface Running {
  promise: Promise<string>;
  stop: () => void;
  waiters: number;
}

/**
 * Runs `api_key_cmd` and gives what it prints, without surrounding white space. Text runs through `sh -c`, a list
 * directly. A result is kept for the life of the process; a failure is not. Code `key_command_failed`.
 * Source: facts §3.
 */
export class KeyCommands {
  readonly #keys = new Map<string, string>();
  readonly #running = new Map<string, Running>();

  async key(
    command: KeyCommand,
    variables: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ): Promise<string> {
    const name = JSON.stringify(command);
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    let running = this.#running.get(name);
    if (running === undefined) {
      running = { ...start(command, variables), waiters: 0 };
      this.#running.set(name, running);
      running.promise.then(
        (key) => this.#keys.set(name, key),
        () => {},
      );
      running.promise.finally(() => this.#running.delete(name)).catch(() => {});
    }
    running.waiters += 1;
    try {
      return await untilAborted(running.promise, signal);
    } finally {
      running.waiters -= 1;
      // Nobody wants the key any more: the command must not outlive the run.
      if (running.waiters === 0) running.stop();
    }
  }
}

/** The key commands of this process: equal commands share one result. */
export const processKeyCommands = new KeyCommands();

function start(
  command: KeyCommand,
  variables: Readonly<Record<string, string | undefined>>,
): { promise: Promise<string>; stop: () => void } {
  const [program, ...args] = typeof command === 'string' ? ['sh', '-c', command] : command;
  let stop = () => {};
  const promise = new Promise<string>((resolve, reject) => {
    const child = spawn(program ?? '', args, {
      env: { ...variables },
      // Its own process group, so that everything it started can be ended with it. Windows has none, but new consoles.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (error: LaitError | undefined) => {
      clearTimeout(timer);
      stop();
      stop = () => {};
      if (error === undefined) {
        try {
          resolve(readKey(Buffer.concat(chunks)));
        } catch (unreadable) {
          reject(unreadable);
        }
      } else reject(error);
    };
    stop = () => killGroup(child.pid);
    const timer = setTimeout(
      () => end(failed(`did not end within ${timeLimitSeconds} s`)),
      timeLimitSeconds * 1000,
    );
    child.on('error', (error) => end(failed(`could not be started: ${error.message}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > outputLimitBytes) end(failed(`printed more than ${outputLimitBytes / 1024} KiB`));
      else chunks.push(chunk);
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) end(undefined);
      else end(failed(code === null ? `was ended by ${killedBy}` : `ended with status ${code}`));
    });
  });
  return { promise, stop: () => stop() };
}

function readKey(output: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(output).trim();
  } catch {
    throw failed('printed bytes that are not UTF-8');
  }
  if (text === '') throw failed('printed nothing');
  return text;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const [program, ...args] = treeKillCommand(pid);
    spawn(program, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}

function failed(reason: string): LaitError {
  return new LaitError({
    code: 'key_command_failed',
    category: 'definition',
    message: `api_key_cmd ${reason}`,
  });
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason instanceof Error ? signal.reason : new CancelledError());
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
