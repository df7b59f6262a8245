import { setMaxListeners } from 'node:events';
import { CancelledError } from '../errors/errors.js';

/** How long a cancelled command may take to put things in order before the process ends anyway. */
let graceMilliseconds = 10_000;

/** Gives this process more time when it is told to end: a server lets runs go on for a while. */
export function extendGrace(milliseconds: number): void {
  graceMilliseconds = Math.max(graceMilliseconds, milliseconds);
}

export interface InterruptOptions {
  /** Told once, at the first signal. */
  onInterrupt: () => void;
  /** Ends the process at once. */
  exit: () => void;
}

/**
 * Turns signals into cancellation: the first Ctrl-C (or SIGTERM, SIGHUP) aborts `signal`, a second one ends the
 * process at once, and so does the end of a grace period. Source: facts §22.
 */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #options: InterruptOptions;
  readonly #listener = () => this.interrupt();

  constructor(options: InterruptOptions) {
    this.#options = options;
    // Every run and request of the process may listen: many listeners are no leak.
    setMaxListeners(0, this.signal);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, this.#listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  interrupt(): void {
    if (this.signal.aborted) {
      this.#options.exit();
      return;
    }
    setTimeout(() => this.#options.exit(), graceMilliseconds).unref();
    this.#options.onInterrupt();
    this.#controller.abort(new CancelledError());
  }
}
