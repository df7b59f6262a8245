import { type JournalEntry, type JournalEntryType, journalKey } from '../../engine/journal.js';
import type { Address } from '../../engine/runtime.js';
import type { NewRunEvent } from '../run-record.js';
import type { StoredJournal } from '../run-store.js';
import { Batches } from './batches.js';

interface Addition {
  entry?: JournalEntry;
  events: readonly NewRunEvent[];
}

/** Writes outcomes, and what the log says beside them, in one step. */
export type JournalWrite = (
  entries: readonly JournalEntry[],
  events: readonly NewRunEvent[],
) => Promise<void>;

/** A journal whose entries were read once and are written through `write`, several at a time. */
export class IndexedJournal implements StoredJournal {
  readonly #entries = new Map<string, JournalEntry>();
  readonly #batches: Batches<Addition>;

  constructor(entries: Iterable<JournalEntry>, write: JournalWrite) {
    for (const entry of entries) this.#remember(entry);
    this.#batches = new Batches((additions) =>
      write(
        additions.flatMap(({ entry }) => entry ?? []),
        additions.flatMap(({ events }) => events),
      ),
    );
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.#entries.get(journalKey({ type, address })) as Extract<JournalEntry, { type: T }> | undefined;
  }

  /** What happened once is recorded once: another entry of the same type and address changes nothing. */
  async append(entry: JournalEntry, events: readonly NewRunEvent[] = []): Promise<void> {
    if (this.#entries.has(journalKey(entry))) return this.log(events);
    await this.#batches.add({ entry, events });
    this.#remember(entry);
  }

  async log(events: readonly NewRunEvent[]): Promise<void> {
    if (events.length > 0) await this.#batches.add({ events });
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
