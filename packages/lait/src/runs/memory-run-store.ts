import { MemoryJournal } from '../engine/journal.js';
import { LaitError } from '../errors/lait-error.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from './run-record.js';
import type { RunChange, RunFilter, RunStore } from './run-store.js';

interface StoredRun {
  record: RunRecord;
  events: RunLogEvent[];
  keys: Set<string>;
  journal: MemoryJournal;
}

/** Runs that live as long as the process. Values are copied in and out, as with a store on disk. */
export class MemoryRunStore implements RunStore {
  readonly #runs = new Map<string, StoredRun>();

  async create(record: RunRecord, events: readonly NewRunEvent[]): Promise<void> {
    const { run_id } = record;
    if (this.#runs.has(run_id))
      throw new LaitError({ code: 'run_exists', message: `run '${run_id}' exists already` });
    const run = {
      record: structuredClone(record),
      events: [],
      keys: new Set<string>(),
      journal: new MemoryJournal(),
    };
    this.#runs.set(run_id, run);
    log(run, events);
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    return structuredClone(this.#runs.get(runId)?.record);
  }

  async list({
    statuses,
    order = 'newest',
    limit = Number.POSITIVE_INFINITY,
    offset = 0,
  }: RunFilter = {}): Promise<RunRecord[]> {
    const records = [...this.#runs.values()].map(({ record }) => record);
    if (order === 'newest') records.reverse();
    const chosen =
      statuses === undefined ? records : records.filter(({ status }) => statuses.includes(status));
    return structuredClone(chosen.slice(offset, offset + limit));
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    const run = this.#runs.get(runId);
    if (run === undefined || run.record.revision !== revision) return undefined;
    run.record = {
      ...run.record,
      ...structuredClone(change),
      revision: revision + 1,
      updated_at: new Date().toISOString(),
    };
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

  async journal(runId: string): Promise<MemoryJournal> {
    const run = this.#runs.get(runId);
    if (run === undefined)
      throw new LaitError({ code: 'run_not_found', message: `there is no run '${runId}'` });
    return run.journal;
  }

  async remove(runId: string): Promise<void> {
    this.#runs.delete(runId);
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
