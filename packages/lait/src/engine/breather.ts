import { setImmediate } from 'node:timers/promises';

const longestRunMs = 10;

/** Gives the event loop a turn after 10 ms of pure work, so that signals, timers and servers stay alive. */
export class Breather {
  #since = performance.now();

  /** Undefined while there is time left: then nothing is awaited. */
  breathe(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#since < longestRunMs) return undefined;
    return setImmediate().then(() => {
      this.#since = performance.now();
    });
  }
}
