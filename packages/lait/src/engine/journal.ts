import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { FailureRecord } from './events.js';
import type { Question } from './question.js';
import type { Address } from './runtime.js';

/** What happened once in a run. Together the entries let a new process take a run up where the old one was lost. */
export type JournalEntry =
  /** An effect that must not be repeated blindly was about to begin. */
  | { type: 'started'; address: Address }
  | { type: 'completed'; address: Address; value: Value; state?: JsonObject; effects?: readonly string[] }
  | { type: 'suspended'; address: Address; question: Question }
  | { type: 'failed'; address: Address; error: FailureRecord }
  /** A fork ended with a failure: its other branches are not run again. */
  | { type: 'fork'; address: Address; branch: number; error: FailureRecord }
  | { type: 'question'; address: Address; question: Question }
  | { type: 'answer'; address: Address; answer: JsonValue }
  /** The instant that `now` gave, in milliseconds since 1970. */
  | { type: 'instant'; address: Address; at: number };

export type JournalEntryType = JournalEntry['type'];

/** The record of one run. Stores implement it; the entries of a run are read once, before it starts. */
export interface Journal {
  /** The entry of this type at this address, if it was recorded. */
  find<T extends JournalEntryType>(type: T, address: Address): Extract<JournalEntry, { type: T }> | undefined;
  /** Resolves when the entry is durable. Entries that are appended while another write runs may share its fsync. */
  append(entry: JournalEntry): Promise<void>;
}

/** Identifies an entry: one per type and address. */
export function journalKey({ type, address }: Pick<JournalEntry, 'type' | 'address'>): string {
  return `${type}\0${address}`;
}
