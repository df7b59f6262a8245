interface Closeable {
  close(): Promise<void>;
}

/** So many files of runs are kept at hand; the one that was used longest ago gives way. */
const most = 64;

/** The open files of runs, by run. One that gave way opens again by itself when it is still used. */
export class OpenFiles<T extends Closeable> {
  readonly #files = new Map<string, T>();

  get(runId: string): T | undefined {
    const file = this.#files.get(runId);
    if (file !== undefined) {
      this.#files.delete(runId);
      this.#files.set(runId, file);
    }
    return file;
  }

  async set(runId: string, file: T): Promise<void> {
    await this.close(runId);
    this.#files.set(runId, file);
    if (this.#files.size > most) await this.close(this.#files.keys().next().value!);
  }

  async close(runId: string): Promise<void> {
    const file = this.#files.get(runId);
    this.#files.delete(runId);
    await file?.close();
  }

  async closeAll(): Promise<void> {
    for (const runId of [...this.#files.keys()]) await this.close(runId);
  }
}
