import type { RunEvent, RunEventType } from '../engine/events.js';
import { type Journal, type JournalEntry, type JournalEntryType, journalKey } from '../engine/journal.js';
import type { Address } from '../engine/runtime.js';
import type { ReadableJournal } from './run-store.js';

/** Events that a pass emits only for what really happens in it. */
const neverReplayed: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.parked',
  'model.requested',
  'model.token',
  'model.responded',
  'model.failed',
]);

/** What a pass takes from the record instead of letting it happen. */
const outcomes: ReadonlySet<JournalEntryType> = new Set<JournalEntryType>([
  'completed',
  'suspended',
  'failed',
  'fork',
  'question',
  'answer',
  'instant',
]);

/** A pass that takes everything from the record is never still for so long. */
const stillMilliseconds = 100;

/**
 * Tells the events of a pass without those that only repeat an earlier one. A pass that goes on replays the record, and
 * the engine emits its events again: they are held back, and dropped as soon as the next recorded outcome is taken. What
 * is left when something is recorded, or when nothing moves because a call is awaited, is news.
 */
export class ReplayFilter implements Journal {
  readonly #appended = new Set<string>();
  #replaying: boolean;
  #held: RunEvent[] = [];
  #waiting: NodeJS.Timeout | undefined;

  constructor(
    private readonly journal: ReadableJournal,
    private readonly tell: (event: RunEvent) => void,
  ) {
    this.#replaying = isNotEmpty(journal.entries);
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    const found = this.journal.find(type, address);
    if (found !== undefined && outcomes.has(type) && !this.#appended.has(journalKey({ type, address }))) {
      this.#replaying = true;
      this.#held = [];
    }
    return found;
  }

  append(entry: JournalEntry): Promise<void> {
    this.#release();
    this.#appended.add(journalKey(entry));
    return this.journal.append(entry);
  }

  /** An event of the engine. */
  event(event: RunEvent): void {
    if (neverReplayed.has(event.type)) this.#release();
    if (!this.#replaying) {
      this.tell(event);
      return;
    }
    this.#held.push(event);
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#release(), stillMilliseconds).unref();
  }

  #release(): void {
    clearTimeout(this.#waiting);
    this.#replaying = false;
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.tell(event);
  }
}

function isNotEmpty(entries: Iterable<unknown>): boolean {
  for (const _ of entries) return true;
  return false;
}
