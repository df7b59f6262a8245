import type { JournalEntry } from '../../engine/journal.js';
import type { NewRunEvent, RunRecord } from '../../runs/run-record.js';
import type {
  ClaimRequest,
  QuestionFilter,
  RunChange,
  RunFilter,
  RunLease,
  RunSelection,
  RunStore,
} from '../../runs/run-store.js';

export interface RunStoreObserver {
  /** The run's log has grown; `record` is there when the run itself has changed. */
  changed(runId: string, record?: RunRecord): void;
}

/** A store that says what this process has written, so that nobody here has to look for it. */
export class ObservedRunStore implements RunStore {
  constructor(
    private readonly store: RunStore,
    private readonly observer: RunStoreObserver,
  ) {}

  async create(
    record: RunRecord,
    events: readonly NewRunEvent[],
    entries?: readonly JournalEntry[],
  ): Promise<void> {
    await this.store.create(record, events, entries);
    this.observer.changed(record.run_id, record);
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    const record = await this.store.update(runId, revision, change, events);
    if (record !== undefined) this.observer.changed(runId, record);
    return record;
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    await this.store.append(runId, events);
    if (events.length > 0) this.observer.changed(runId);
  }

  read(runId: string) {
    return this.store.read(runId);
  }
  list(filter?: RunFilter) {
    return this.store.list(filter);
  }
  count(selection?: RunSelection) {
    return this.store.count(selection);
  }
  questions(filter?: QuestionFilter) {
    return this.store.questions(filter);
  }
  events(runId: string, range?: { after?: number; limit?: number }) {
    return this.store.events(runId, range);
  }
  journal(runId: string, lease?: RunLease) {
    return this.store.journal(runId, lease);
  }
  remove(runId: string) {
    return this.store.remove(runId);
  }
  claim(request: ClaimRequest) {
    return this.store.claim(request);
  }
  renew(lease: RunLease, leaseMs: number) {
    return this.store.renew(lease, leaseMs);
  }
  release(lease: RunLease) {
    return this.store.release(lease);
  }
  close() {
    return this.store.close();
  }
}
