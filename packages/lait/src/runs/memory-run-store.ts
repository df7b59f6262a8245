import type { JournalEntry } from '../engine/journal.js';
import { runNotFound } from './run-errors.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from './run-record.js';
import type {
  ClaimRequest,
  RunClaim,
  RunLease,
  RunStore,
  RunUpdate,
  StoredJournal,
  UpdateOfKnown,
} from './run-store.js';
import { IndexedJournal } from './stores/indexed-journal.js';
import { ListedRunStore } from './stores/listed-run-store.js';
import { MemoryClaims } from './stores/memory-claims.js';
import { placedEvents } from './stores/placed-events.js';
import { changedRecord, endsClaim, newRecord, runExists } from './stores/stored-record.js';

interface StoredRun {
  record: RunRecord;
  events: RunLogEvent[];
  keys: Set<string>;
  entries: JournalEntry[];
}

/** Runs that live as long as the process. Values are copied in and out, as with a store on disk. */
export class MemoryRunStore extends ListedRunStore implements RunStore {
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
      entries: structuredClone([...entries]),
    };
    this.#runs.set(run_id, run);
    log(run, events);
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    return structuredClone(this.#runs.get(runId)?.record);
  }

  async update(
    runId: string,
    { revision, change, events, lease }: UpdateOfKnown,
  ): Promise<RunRecord | undefined> {
    const run = this.#runs.get(runId);
    if (run === undefined || run.record.revision !== revision) return undefined;
    this.#claims.require(lease);
    return this.#change(run, { change, events });
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

  async journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    const run = this.#runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return new IndexedJournal(structuredClone(run.entries), async (entries, events) => {
      this.#claims.require(lease);
      run.entries.push(...structuredClone(entries));
      log(run, events);
    });
  }

  async remove(runId: string): Promise<void> {
    this.#runs.delete(runId);
    this.#claims.forget(runId);
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    return this.#claims.claim(request, await this.records()).map((lease) => {
      const run = this.#runs.get(lease.run_id)!;
      const record = structuredClone(run.record);
      const update = request.begin?.(record);
      return { lease, record: update === undefined ? record : this.#change(run, update) };
    });
  }

  async renew(lease: RunLease, leaseMs: number): Promise<boolean> {
    return this.#claims.renew(lease, leaseMs);
  }

  async release(lease: RunLease): Promise<void> {
    this.#claims.release(lease);
  }

  async close(): Promise<void> {}

  protected async records(): Promise<readonly RunRecord[]> {
    return Array.from(this.#runs.values(), ({ record }) => record);
  }

  #change(run: StoredRun, { change, events }: RunUpdate): RunRecord {
    if (endsClaim(change)) this.#claims.free(run.record.run_id);
    run.record = changedRecord(run.record, structuredClone(change));
    log(run, events);
    return structuredClone(run.record);
  }
}

function log({ record: { run_id }, events, keys }: StoredRun, added: readonly NewRunEvent[]): void {
  for (const event of placedEvents({ runId: run_id, lastSeq: events.length, keys }, added)) {
    events.push(event);
    if (event.key !== undefined) keys.add(event.key);
  }
}
