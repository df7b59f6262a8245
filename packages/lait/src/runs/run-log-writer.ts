import type { JournalEntry, JournalEntryType } from '../engine/journal.js';
import type { Address } from '../engine/runtime.js';
import { notShown } from '../values/text.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import { requireWritable } from '../values/value-size.js';
import type { NewRunEvent } from './run-record.js';
import type { StoredJournal } from './run-store.js';

/** So long an event waits at most for an outcome that it can be stored with. */
const longestWaitMs = 50;

/**
 * A journal that also keeps a pass's log. Events wait for the next outcome and are stored in its step; when none comes
 * soon, they are stored by themselves, so that those who follow the run see them. What is left at the end of a pass
 * belongs into the step that stores how it ended.
 */
export class RunLogWriter implements StoredJournal {
  #waiting: NewRunEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(
    private readonly journal: StoredJournal,
    private readonly mask: (event: NewRunEvent) => NewRunEvent,
  ) {}

  get entries() {
    return this.journal.entries;
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.journal.find(type, address);
  }

  append(entry: JournalEntry, events: readonly NewRunEvent[] = []): Promise<void> {
    this.#add(events);
    return this.#write((waiting) => this.journal.append(entry, waiting));
  }

  async log(events: readonly NewRunEvent[]): Promise<void> {
    this.#add(events);
    if (this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#write((waiting) => this.journal.log(waiting)).catch(() => {
        // They were put back: the next step that can be stored has them.
      });
    }, longestWaitMs);
  }

  /** Ends the log of the pass and gives what is not stored yet. */
  async finish(): Promise<readonly NewRunEvent[]> {
    clearTimeout(this.#timer);
    await this.#writing;
    return this.#waiting;
  }

  #add(events: readonly NewRunEvent[]): void {
    for (const event of events) this.#waiting.push(this.mask(writable(event)));
  }

  async #write(write: (waiting: readonly NewRunEvent[]) => Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      await write(waiting);
    } catch (error) {
      this.#waiting.unshift(...waiting);
      throw error;
    }
  }
}

/** An event without the values that could not be written: a log is no reason to end a run. */
function writable(event: NewRunEvent): NewRunEvent {
  if (isWritable(event.payload)) return event;
  const members = Object.entries(event.payload).map(([name, value]) => [
    name,
    isWritable(value) ? value : notShown,
  ]);
  return { ...event, payload: Object.fromEntries(members) as JsonObject };
}

function isWritable(value: JsonValue): boolean {
  try {
    requireWritable(value);
    return true;
  } catch {
    return false;
  }
}
