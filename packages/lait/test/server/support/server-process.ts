import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FaultPoint } from '../../../src/engine/fault-point.js';
import type { ServerSettings } from '../../../src/server/server-settings.js';
import type { TestAnswer } from './test-server.js';

const script = fileURLToPath(new URL('./server-process.mjs', import.meta.url));

export interface ServerProcessOptions {
  database: string;
  directory: string;
  workflows: Record<string, string>;
  settings?: Partial<ServerSettings>;
  /** Dies at this point, the so-manieth time that it is reached. */
  fault?: { name: FaultPoint; count: number };
  /** A file for its log. */
  log?: string;
}

export interface ServerProcess {
  url: string;
  /** Undefined when the server cannot be reached (any more). */
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Pick<TestAnswer, 'status' | 'body'> | undefined>;
  alive(): boolean;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: options.directory,
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (data: Buffer) => resolve(data.toString().trim()));
    void exited.then(() => reject(new Error('the server died before it listened')));
  });
  return {
    url,
    alive: () => child.exitCode === null && child.signalCode === null,
    async call(method, path, body) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          ...(body !== undefined && {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        });
        const text = await response.text();
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
      } catch {
        return undefined;
      }
    },
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
