import type { RunEvent } from '../../engine/events.js';

type Listener = (event: RunEvent) => void;

/** Engine events of the runs that this process works on, for those who watch one: also what no log keeps, as tokens. */
export class EngineEvents {
  readonly #listeners = new Map<string, Set<Listener>>();

  emit(runId: string, event: RunEvent): void {
    for (const listener of this.#listeners.get(runId) ?? []) listener(event);
  }

  /** Gives back what ends the subscription. */
  subscribe(runId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(runId);
    };
  }
}
