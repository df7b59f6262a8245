import type { RunRecord } from '../../runs/run-record.js';

type Listener = (record: RunRecord) => void;

/** Runs as this process changes them, for what works beside the requests. */
export class RunChanges {
  readonly #listeners = new Set<Listener>();

  emit(record: RunRecord): void {
    for (const listener of this.#listeners) listener(record);
  }

  /** Gives back what ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
