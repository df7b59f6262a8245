import type { Journal, JournalEntry } from '../engine/journal.js';
import type { LaitError } from '../errors/lait-error.js';
import type { Form } from '../plan/plan.js';
import type { NewRunEvent, RunLogEvent, RunQuestion, RunRecord } from './run-record.js';
import type { RunStatus } from './run-status.js';

/** Whether values are restored; by default they are. */
export type RunUse = 'work' | 'show';

/** What may change of a record; the store counts the revision and sets `updated_at` and `queued_at`. */
export type RunChange = Partial<
  Omit<RunRecord, 'run_id' | 'revision' | 'created_at' | 'updated_at' | 'queued_at'>
>;

/** A change of a run, with what the log says about it. */
export interface RunUpdate {
  change: RunChange;
  events: readonly NewRunEvent[];
}

/** An update of a run that stands as whoever decided about it has seen it. */
export interface UpdateOfKnown extends RunUpdate {
  /** Of the record that was seen. */
  revision: number;
  /** Throws `lease_lost` when another process has claimed the run since. */
  lease?: RunLease | undefined;
  /** The record at that revision, where the caller has it, which spares a look. */
  known?: RunRecord | undefined;
}

/** Which runs are meant; every condition that is given must hold. */
export interface RunSelection {
  statuses?: readonly RunStatus[];
  forms?: readonly Form[];
  /** Id of the workflow. */
  workflow?: string;
  /** Created at this time or later, as an ISO 8601 text. */
  createdFrom?: string;
  createdBefore?: string;
  finishedBefore?: string;
}

/** The place of a run in a list: a page begins behind it, whatever was added or removed meanwhile. */
export type RunCursor = Pick<RunRecord, 'created_at' | 'run_id'>;

export interface RunFilter extends RunSelection {
  /** By time of creation, then by id. Default `newest`. */
  order?: 'newest' | 'oldest';
  limit?: number;
  offset?: number;
  /** The last run of the page before. */
  after?: RunCursor;
}

/** An open question with the run that asks it. */
export interface InboxQuestion extends RunQuestion {
  run_id: string;
  workflow: string;
  form: Form;
  status: RunStatus;
}

export interface QuestionFilter {
  runId?: string;
  workflow?: string;
  forms?: readonly Form[];
  /** The id under which people know the question. */
  hitlRunId?: string;
  limit?: number;
  offset?: number;
}

/** How many runs may be worked on at once, in all processes together. Default: any number. */
export interface ClaimLimits {
  total?: number;
  perWorkflow?: number;
  /** By workflow id, instead of `perWorkflow`. */
  workflows?: Readonly<Record<string, number>>;
}

export interface ClaimRequest {
  /** Names the process that will work on the run; unlike any other, also an earlier one of the same machine. */
  worker: string;
  /** How long the claim holds unless it is renewed. */
  leaseMs: number;
  /** Only this run. Default: whichever is next. */
  runId?: string;
  /** At most this many runs. Default 1. */
  max?: number;
  limits?: ClaimLimits;
  /**
   * What becomes of a run as it is claimed, in the same step; nothing by default. It may be asked several times about
   * one run.
   */
  begin?(record: RunRecord): RunUpdate | undefined;
}

/** The right to work on a run for a while. */
export interface RunLease {
  run_id: string;
  worker: string;
  /** Counts the claims of the run: an older one is worth nothing any more. */
  attempt: number;
}

export interface RunClaim {
  /** The run as it is now, `begin` included. */
  record: RunRecord;
  lease: RunLease;
  /**
   * Why it cannot be worked on now: a value of it cannot be restored. The record is then as `list` shows it, without
   * `begin`; the claim keeps the run out of the way of others for a while.
   */
  problem?: LaitError;
}

/** The record of one run's outcomes, in the order in which they were appended. */
export interface ReadableJournal extends Journal {
  readonly entries: Iterable<JournalEntry>;
}

/** A journal that is kept in a store. */
export interface StoredJournal extends ReadableJournal {
  /** `events` go to the log in the same step, by the rules of `RunStore.append`. */
  append(entry: JournalEntry, events?: readonly NewRunEvent[]): Promise<void>;
  /** Appends to the log alone, behind everything that was appended here before. */
  log(events: readonly NewRunEvent[]): Promise<void>;
}

/**
 * Where runs are kept. Stores only move data: what it means is the business of `RunController`. Every method is atomic
 * and durable when it resolves. Stores throw a `LaitError` that names what cannot be read or written.
 */
export interface RunStore {
  /** Adds a run with the first entries of its log and, for a repeated one, of its journal. Throws `run_exists`. */
  create(record: RunRecord, events: readonly NewRunEvent[], entries?: readonly JournalEntry[]): Promise<void>;
  /**
   * The run as it is worked with, or as it is shown: that needs none of the variables whose values were kept out of the
   * store. Only changes that hold no such values may follow from it.
   */
  read(runId: string, use?: RunUse): Promise<RunRecord | undefined>;
  /** Runs as they are shown: values hold names instead of the secrets that were kept out of the store. */
  list(filter?: RunFilter): Promise<RunRecord[]>;
  count(selection?: RunSelection): Promise<number>;
  /** Runs that `list` leaves out because their record cannot be read, with the reason. Absent: there can be none. */
  problems?(): Promise<readonly { run_id: string; problem: string }[]>;
  /** Every open question, the oldest first. */
  questions(filter?: QuestionFilter): Promise<InboxQuestion[]>;
  /**
   * Changes a record and appends to its log in one step, if the record still has the given revision: of several who
   * change it at once exactly one succeeds. `undefined` when another was faster or the run is gone. A change to a status
   * in which nobody works on the run ends its claim.
   */
  update(runId: string, update: UpdateOfKnown): Promise<RunRecord | undefined>;
  /** Appends to the log; events whose key is there already are left out. Numbers have no gaps. */
  append(runId: string, events: readonly NewRunEvent[]): Promise<void>;
  /** The log behind an entry (default: from the start). */
  events(runId: string, range?: { after?: number; limit?: number }): Promise<RunLogEvent[]>;
  /**
   * The outcomes of the run, all entries at hand. Throws `run_not_found`. With a lease, `append` throws `lease_lost` as
   * soon as another process has claimed the run, and nothing is written.
   */
  journal(runId: string, lease?: RunLease): Promise<StoredJournal>;
  /** Removes a run with everything that belongs to it. */
  remove(runId: string): Promise<void>;
  /**
   * Claims runs that nobody works on: queued ones, and running or cancelling ones whose claim has run out. The highest
   * priority first; among equals fair between workflows: the one with the fewest claims, then the one that waited
   * longest for its turn.
   */
  claim(request: ClaimRequest): Promise<RunClaim[]>;
  /** Prolongs a claim from now on. False when it was lost to another process. */
  renew(lease: RunLease, leaseMs: number): Promise<boolean>;
  /** Gives a claim back; does nothing when it was lost. */
  release(lease: RunLease): Promise<void>;
  /** Waits for writes under way and closes files and connections. */
  close(): Promise<void>;
}
