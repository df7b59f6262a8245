interface Waiting<T> {
  item: T;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes items in order, those that wait while a write is under way together with the next: concurrent writers share one
 * flush to the disk. `add` resolves when its item is written, and throws when its write failed.
 */
export class Batches<T> {
  #waiting: Waiting<T>[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly write: (items: readonly T[]) => Promise<void>) {}

  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }
}
