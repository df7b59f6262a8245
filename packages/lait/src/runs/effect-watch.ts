import type { Journal, JournalEntry, JournalEntryType } from '../engine/journal.js';
import type { Address } from '../engine/runtime.js';

/** A journal that also knows which calls this process began without learning what became of them. */
export class EffectWatch implements Journal {
  readonly #open = new Set<Address>();

  constructor(private readonly journal: Journal) {}

  /** True when a call was begun whose outcome a person must judge. */
  get uncertain(): boolean {
    return this.#open.size > 0;
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.journal.find(type, address);
  }

  append(entry: JournalEntry): Promise<void> {
    if (entry.type === 'started') this.#open.add(entry.address);
    else if (entry.type === 'completed' || entry.type === 'failed') this.#open.delete(entry.address);
    else if (entry.type === 'suspended') {
      if (entry.question.type === 'attention') this.#open.add(entry.address);
      else this.#open.delete(entry.address);
    }
    return this.journal.append(entry);
  }
}
