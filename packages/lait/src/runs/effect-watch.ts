import type { JournalEntry, JournalEntryType } from '../engine/journal.js';
import type { Address } from '../engine/runtime.js';
import type { ReadableJournal } from './run-store.js';

/**
 * A journal that also knows which calls were begun without learning what became of them, in this process or in one that
 * was lost. What cannot be recorded is told at once: the pass must end before it does anything else.
 */
export class EffectWatch implements ReadableJournal {
  readonly #open = new Set<Address>();

  constructor(
    private readonly journal: ReadableJournal,
    private readonly onFailure: (error: unknown) => void,
  ) {
    for (const entry of journal.entries) this.#watch(entry);
  }

  /** True when a call was begun whose outcome a person must judge. */
  get uncertain(): boolean {
    return this.#open.size > 0;
  }

  get entries() {
    return this.journal.entries;
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.journal.find(type, address);
  }

  async append(entry: JournalEntry): Promise<void> {
    this.#watch(entry);
    try {
      await this.journal.append(entry);
    } catch (error) {
      this.onFailure(error);
      throw error;
    }
  }

  #watch(entry: JournalEntry): void {
    if (entry.type === 'started') this.#open.add(entry.address);
    else if (entry.type === 'completed' || entry.type === 'failed') this.#open.delete(entry.address);
    else if (entry.type === 'suspended') {
      if (entry.question.type === 'attention') this.#open.add(entry.address);
      else this.#open.delete(entry.address);
    }
  }
}
