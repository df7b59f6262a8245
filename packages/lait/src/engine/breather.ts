import { setImmediate } from 'node:timers/promises';

const longestRunMs = 10;

/** Gives the event loop a turn after 10 ms of pure work, so that signals, timers and servers stay alive. */
export class Breather {
  // The clock of the day is the cheapest, and needs no module of Node; a turn too many when it is set does no harm.
  #since = Date.now();

  /** Undefined while there is time left: then nothing is awaited. */
  breathe(): Promise<void> | undefined {
    const passed = Date.now() - this.#since;
    if (passed >= 0 && passed < longestRunMs) return undefined;
    return setImmediate().then(() => {
      this.#since = Date.now();
    });
  }
}
