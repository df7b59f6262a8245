import { type JournalEntry, MemoryJournal } from '../engine/journal.js';
import { runNotFound } from './run-errors.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from './run-record.js';
import type {
  ClaimRequest,
  InboxQuestion,
  QuestionFilter,
  RunChange,
  RunClaim,
  RunFilter,
  RunLease,
  RunSelection,
  RunStore,
} from './run-store.js';
import { MemoryClaims } from './stores/memory-claims.js';
import { isSelected, selectQuestions, selectRuns } from './stores/run-selection.js';
import { changedRecord, leaseLost, newRecord, runExists } from './stores/stored-record.js';

interface StoredRun {
  record: RunRecord;
  events: RunLogEvent[];
  keys: Set<string>;
  journal: MemoryJournal;
}

/** Runs that live as long as the process. Values are copied in and out, as with a store on disk. */
export class MemoryRunStore implements RunStore {
  readonly #runs = new Map<string, StoredRun>();
  readonly #claims = new MemoryClaims();

  async create(
    record: RunRecord,
    events: readonly NewRunEvent[],
    entries: readonly JournalEntry[] = [],
  ): Promise<void> {
    const { run_id } = record;
    if (this.#runs.has(run_id)) throw runExists(run_id);
    const run = {
      record: newRecord(structuredClone(record)),
      events: [],
      keys: new Set<string>(),
      journal: new MemoryJournal(structuredClone(entries)),
    };
    this.#runs.set(run_id, run);
    log(run, events);
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    return structuredClone(this.#runs.get(runId)?.record);
  }

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    return structuredClone(selectRuns(this.#records(), filter));
  }

  async count(selection: RunSelection = {}): Promise<number> {
    let count = 0;
    for (const record of this.#records()) if (isSelected(record, selection)) count += 1;
    return count;
  }

  async questions(filter: QuestionFilter = {}): Promise<InboxQuestion[]> {
    return structuredClone(selectQuestions(this.#records(), filter));
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    const run = this.#runs.get(runId);
    if (run === undefined || run.record.revision !== revision) return undefined;
    if (change.status === 'queued') this.#claims.free(runId);
    run.record = changedRecord(run.record, structuredClone(change));
    log(run, events);
    return structuredClone(run.record);
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    const run = this.#runs.get(runId);
    if (run !== undefined) log(run, events);
  }

  async events(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): Promise<RunLogEvent[]> {
    return structuredClone((this.#runs.get(runId)?.events ?? []).slice(after, after + limit));
  }

  async journal(runId: string, lease?: RunLease) {
    const run = this.#runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    const { journal } = run;
    return {
      find: journal.find.bind(journal),
      append: async (entry: JournalEntry) => {
        if (lease !== undefined && !this.#claims.isNewest(lease)) throw leaseLost(runId);
        if (journal.find(entry.type, entry.address) === undefined)
          await journal.append(structuredClone(entry));
      },
      get entries() {
        return journal.entries;
      },
    };
  }

  async remove(runId: string): Promise<void> {
    this.#runs.delete(runId);
    this.#claims.forget(runId);
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    const leases = this.#claims.claim(request, this.#records());
    return leases.map((lease) => ({
      lease,
      record: structuredClone(this.#runs.get(lease.run_id)!.record),
    }));
  }

  async renew(lease: RunLease, leaseMs: number): Promise<boolean> {
    return this.#claims.renew(lease, leaseMs);
  }

  async release(lease: RunLease): Promise<void> {
    this.#claims.release(lease);
  }

  async close(): Promise<void> {}

  *#records(): Iterable<RunRecord> {
    for (const { record } of this.#runs.values()) yield record;
  }
}

function log(run: StoredRun, events: readonly NewRunEvent[]): void {
  for (const event of events) {
    if (event.key !== undefined) {
      if (run.keys.has(event.key)) continue;
      run.keys.add(event.key);
    }
    const { run_id } = run.record;
    run.events.push({
      ...structuredClone(event),
      run_id,
      seq: run.events.length + 1,
      created_at: new Date().toISOString(),
    });
  }
}
