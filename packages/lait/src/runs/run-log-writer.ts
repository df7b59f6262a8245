import type { NewRunEvent } from './run-record.js';
import type { RunStore } from './run-store.js';

/** Writes a run's log in order behind its back; `flush` waits until everything is stored and throws what failed. */
export class RunLogWriter {
  #waiting: NewRunEvent[] = [];
  #writing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly runId: string,
    private readonly mask: (event: NewRunEvent) => NewRunEvent,
  ) {}

  add(events: readonly NewRunEvent[]): void {
    if (events.length === 0) return;
    this.#waiting.push(...events.map(this.mask));
    this.#writing ??= this.#write();
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #write(): Promise<void> {
    // What arrives while one write runs goes with the next.
    await Promise.resolve();
    while (this.#waiting.length > 0 && this.#failure === undefined) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.store.append(this.runId, batch);
      } catch (error) {
        this.#failure = { error };
      }
    }
    this.#writing = undefined;
  }
}
