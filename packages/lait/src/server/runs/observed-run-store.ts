import type { JournalEntry, JournalEntryType } from '../../engine/journal.js';
import type { Address } from '../../engine/runtime.js';
import type { NewRunEvent, RunRecord } from '../../runs/run-record.js';
import type {
  ClaimRequest,
  QuestionFilter,
  RunClaim,
  RunFilter,
  RunLease,
  RunSelection,
  RunStore,
  RunUse,
  StoredJournal,
  UpdateOfKnown,
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

  async update(runId: string, update: UpdateOfKnown): Promise<RunRecord | undefined> {
    const record = await this.store.update(runId, update);
    if (record !== undefined) this.observer.changed(runId, record);
    return record;
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    await this.store.append(runId, events);
    if (events.length > 0) this.observer.changed(runId);
  }

  async journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    return new ObservedJournal(await this.store.journal(runId, lease), () => this.observer.changed(runId));
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    const claims = await this.store.claim(request);
    if (request.begin !== undefined)
      for (const { record } of claims) this.observer.changed(record.run_id, record);
    return claims;
  }

  read(runId: string, use?: RunUse) {
    return this.store.read(runId, use);
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
  remove(runId: string) {
    return this.store.remove(runId);
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

class ObservedJournal implements StoredJournal {
  constructor(
    private readonly journal: StoredJournal,
    private readonly changed: () => void,
  ) {}

  get entries() {
    return this.journal.entries;
  }

  find<T extends JournalEntryType>(type: T, address: Address) {
    return this.journal.find(type, address);
  }

  async append(entry: JournalEntry, events: readonly NewRunEvent[] = []): Promise<void> {
    await this.journal.append(entry, events);
    if (events.length > 0) this.changed();
  }

  async log(events: readonly NewRunEvent[]): Promise<void> {
    await this.journal.log(events);
    this.changed();
  }
}
