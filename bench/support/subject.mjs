import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const cpuReporter = fileURLToPath(new URL('report-cpu-time.cjs', import.meta.url));
const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Something to measure, in a process of its own: it waits while the others have their round. */
export class ProcessSubject {
  #child;

  static async start(rowUrl, name, caseName) {
    const subject = new ProcessSubject();
    subject.#child = fork(worker, [rowUrl, name, caseName], {
      execArgv: ['--expose-gc', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await subject.#answer();
    return subject;
  }

  round() {
    this.#child.send('round');
    return this.#answer();
  }

  end() {
    this.#child.send('end');
    return this.#answer();
  }

  #answer() {
    return new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`the subject ended with ${code}`));
      this.#child.once('exit', ended);
      this.#child.once('message', (message) => {
        this.#child.off('exit', ended);
        resolve(message);
      });
    });
  }
}

/** A Node program that is started anew in each round; what it prints is thrown away. */
export class CommandSubject {
  #arguments;
  #directory;

  constructor({ args, directory }) {
    this.#arguments = ['--require', cpuReporter, ...args];
    this.#directory = directory;
  }

  async round() {
    const start = performance.now();
    const child = spawn(process.execPath, this.#arguments, {
      cwd: this.#directory,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [errors, cpu, [code]] = await Promise.all([
      text(child.stderr),
      text(child.stdio[3]),
      once(child, 'close'),
    ]);
    const wallMs = performance.now() - start;
    if (code !== 0) throw new Error(`node ${this.#arguments.join(' ')} ended with ${code}: ${errors}`);
    const { user, system } = JSON.parse(cpu);
    return { wallMs, cpuMs: (user + system) / 1000 };
  }

  async end() {
    return {};
  }
}
