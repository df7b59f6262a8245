import {
  type Journal,
  type JournalEntry,
  type JournalEntryType,
  journalKey,
} from '../../src/engine/journal.js';
import type { Address } from '../../src/engine/runtime.js';

/** A journal without a store. */
export class MemoryJournal implements Journal {
  readonly #entries = new Map<string, JournalEntry>();

  constructor(entries: Iterable<JournalEntry> = []) {
    for (const entry of entries) this.#entries.set(journalKey(entry), entry);
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.#entries.get(journalKey({ type, address })) as Extract<JournalEntry, { type: T }> | undefined;
  }

  async append(entry: JournalEntry): Promise<void> {
    this.#entries.set(journalKey(entry), entry);
  }

  get entries(): JournalEntry[] {
    return [...this.#entries.values()];
  }
}
