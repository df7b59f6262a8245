import type { Journal } from '../engine/journal.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from './run-record.js';
import type { RunStatus } from './run-status.js';

/** What may change of a record; the store counts the revision and sets `updated_at`. */
export type RunChange = Partial<Omit<RunRecord, 'run_id' | 'revision' | 'created_at' | 'updated_at'>>;

export interface RunFilter {
  statuses?: readonly RunStatus[];
  /** Default `newest`. */
  order?: 'newest' | 'oldest';
  limit?: number;
  offset?: number;
}

/**
 * Where runs are kept. Stores only move data: what it means is the business of `RunController`. Every method is atomic
 * and durable when it resolves. Stores throw a `LaitError` that names what cannot be read or written.
 */
export interface RunStore {
  /** Adds a run with the first entries of its log. Throws `run_exists`. */
  create(record: RunRecord, events: readonly NewRunEvent[]): Promise<void>;
  read(runId: string): Promise<RunRecord | undefined>;
  list(filter?: RunFilter): Promise<RunRecord[]>;
  /**
   * Changes a record and appends to its log in one step, if the record still has the given revision: of several who
   * change it at once exactly one succeeds. `undefined` when another was faster or the run is gone.
   */
  update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined>;
  /** Appends to the log; events whose key is there already are left out. Numbers have no gaps. */
  append(runId: string, events: readonly NewRunEvent[]): Promise<void>;
  /** The log behind an entry (default: from the start). */
  events(runId: string, range?: { after?: number; limit?: number }): Promise<RunLogEvent[]>;
  /** The outcomes of the run, all entries at hand. */
  journal(runId: string): Promise<Journal>;
  /** Removes a run with everything that belongs to it. */
  remove(runId: string): Promise<void>;
}
