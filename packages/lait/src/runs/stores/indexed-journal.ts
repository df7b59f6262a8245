import {
  type JournalEntry,
  type JournalEntryType,
  type Journal as JournalPort,
  journalKey,
} from '../../engine/journal.js';
import type { Address } from '../../engine/runtime.js';
import type { StoredJournal } from '../run-store.js';
import { Batches } from './batches.js';

/** A journal whose entries were read once and are written through `write`, several at a time. */
export class IndexedJournal implements StoredJournal, JournalPort {
  readonly #entries = new Map<string, JournalEntry>();
  readonly #batches: Batches<JournalEntry>;

  constructor(entries: Iterable<JournalEntry>, write: (entries: readonly JournalEntry[]) => Promise<void>) {
    for (const entry of entries) this.#remember(entry);
    this.#batches = new Batches(write);
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.#entries.get(journalKey({ type, address })) as Extract<JournalEntry, { type: T }> | undefined;
  }

  /** What happened once is recorded once: another entry of the same type and address changes nothing. */
  async append(entry: JournalEntry): Promise<void> {
    if (this.#entries.has(journalKey(entry))) return;
    await this.#batches.add(entry);
    this.#remember(entry);
  }

  get entries(): Iterable<JournalEntry> {
    return this.#entries.values();
  }

  settled(): Promise<void> {
    return this.#batches.settled();
  }

  #remember(entry: JournalEntry): void {
    const key = journalKey(entry);
    if (!this.#entries.has(key)) this.#entries.set(key, entry);
  }
}
