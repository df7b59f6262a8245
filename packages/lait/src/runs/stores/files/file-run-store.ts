import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultPoint } from '../../../engine/fault-point.js';
import type { JournalEntry } from '../../../engine/journal.js';
import { isLaitError } from '../../../errors/lait-error.js';
import { exists } from '../../../files/exists.js';
import { replaceFile } from '../../../files/replace-file.js';
import type { JsonObject, JsonValue } from '../../../values/value.js';
import { runNotFound } from '../../run-errors.js';
import { isRunId } from '../../run-id.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from '../../run-record.js';
import type {
  ClaimRequest,
  RunChange,
  RunClaim,
  RunLease,
  RunStore,
  RunUse,
  StoredJournal,
  UpdateOfKnown,
} from '../../run-store.js';
import { IndexedJournal } from '../indexed-journal.js';
import { ListedRunStore } from '../listed-run-store.js';
import { changedRecord, endsClaim, newRecord, runExists } from '../stored-record.js';
import { type SecretCodec, ValueCodec } from '../value-codec.js';
import { EventLog } from './event-log.js';
import { FileClaims } from './file-claims.js';
import { damaged, JsonLines } from './json-lines.js';
import { OpenFiles } from './open-files.js';
import { RunDirectory } from './run-directory.js';
import { RunLocks } from './run-lock.js';
import { type RunSnapshot, recordOf, snapshotText } from './run-snapshot.js';

export interface FileRunStoreOptions {
  /** Keeps secrets out of the files. Default: values are stored as they are. */
  secrets?: SecretCodec;
  /** How long another process that changes a run is waited for, in milliseconds. Default 10,000. */
  patienceMs?: number;
}

/**
 * Runs as files under a `.lait` directory, for its owner alone: `runs/<id>.json` is a run, `journal/<id>.jsonl` its
 * outcomes, `journal/<id>.events.jsonl` its log. The run's file is replaced in one step and decides what happened:
 * events of its last change are in it until they are in the log. Several processes may use the directory at once.
 */
export class FileRunStore extends ListedRunStore implements RunStore {
  readonly #codec: ValueCodec;
  readonly #locks: RunLocks;
  readonly #claims: FileClaims;
  readonly #logs = new OpenFiles<EventLog>();
  readonly #journals = new OpenFiles<{ close(): Promise<void> }>();
  readonly #files: RunDirectory;

  /** `directory`: the `.lait` directory. */
  constructor(
    readonly directory: string,
    { secrets, patienceMs = 10_000 }: FileRunStoreOptions = {},
  ) {
    super();
    this.#codec = new ValueCodec(secrets);
    this.#files = new RunDirectory(directory, this.#codec);
    this.#locks = new RunLocks(join(directory, 'locks'), patienceMs);
    this.#claims = new FileClaims(join(directory, 'claims'));
  }

  /** Where a run is recorded. */
  path(runId: string): string {
    return this.#files.snapshot(runId);
  }

  async create(
    record: RunRecord,
    events: readonly NewRunEvent[],
    entries: readonly JournalEntry[] = [],
  ): Promise<void> {
    const { run_id } = record;
    const path = this.path(run_id);
    await this.#locks.hold(run_id, async () => {
      if (await exists(path)) throw runExists(run_id);
      // What a create that was cut off has left.
      await this.#removeBeside(run_id);
      if (entries.length > 0) {
        const lines = new JsonLines(this.#files.journal(run_id));
        await lines.append(entries.map((entry) => this.#codec.pack(entry as unknown as JsonValue)));
        await lines.close();
      }
      const pending = new EventLog(this.#files.log(run_id)).place(run_id, this.#codec.logged(events));
      const stored = this.#codec.pack(newRecord(record) as unknown as JsonValue) as JsonObject;
      await this.#write(run_id, { stored, pending }, true);
    });
  }

  async read(runId: string, use: RunUse = 'work'): Promise<RunRecord | undefined> {
    return this.#files.record(runId, use);
  }

  /** Runs whose files cannot be read, with the reason; lists leave them out. */
  problems(): Promise<{ run_id: string; problem: string }[]> {
    return this.#files.problems();
  }

  async update(
    runId: string,
    { revision, change, events, lease, known }: UpdateOfKnown,
  ): Promise<RunRecord | undefined> {
    if (!isRunId(runId)) return undefined;
    return this.#locks.hold(runId, async () => {
      const found = await this.#files.stored(runId);
      if (found === undefined || found.stored.revision !== revision) return undefined;
      this.#claims.require(lease);
      const log = await this.#log(runId);
      await log.refresh(found.pending);
      // The new snapshot takes the place of the events that only the old one holds.
      await log.append([]);
      const record = changedRecord(known ?? recordOf(found, this.#codec), change);
      // What does not change stays as it is stored: `known` may be a record as it is shown.
      const stored = { ...found.stored, ...this.#changed(record, change) };
      await this.#write(runId, { stored, pending: log.place(runId, this.#codec.logged(events)) }, false);
      if (endsClaim(change)) await this.#claims.free(runId);
      return record;
    });
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    if (events.length === 0 || !isRunId(runId)) return;
    await this.#locks.hold(runId, async () => {
      const found = await this.#files.stored(runId);
      if (found === undefined) return;
      const log = await this.#log(runId);
      await log.refresh(found.pending);
      const placed = log.place(runId, this.#codec.logged(events));
      if (placed.length > 0) await log.append(placed);
    });
  }

  async events(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): Promise<RunLogEvent[]> {
    const found = await this.#files.stored(runId);
    if (found === undefined) return [];
    // A log of its own: the shared one belongs to whoever holds the lock.
    const log = new EventLog(this.#files.log(runId));
    return structuredClone((await log.refresh(found.pending)).slice(after, after + limit));
  }

  async journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    const record = await this.read(runId);
    if (record === undefined) throw runNotFound(runId);
    const options = this.#files.journal(runId);
    const lines = new JsonLines(options);
    const stored = await lines.refresh();
    if (stored === undefined) await this.#refuseLostJournal(record, options.path);
    // Before a worker does anything: from now on a missing file is a lost one.
    if (stored === undefined && lease !== undefined) await lines.create();
    const entries = (stored ?? []).map((line) => this.#codec.unpack(line) as unknown as JournalEntry);
    const journal = new IndexedJournal(entries, async (added, events) => {
      this.#claims.require(lease);
      // Two files and two flushes at once: what the log says was so before these outcomes.
      await Promise.all([
        added.length > 0 &&
          lines.append(added.map((entry) => this.#codec.pack(entry as unknown as JsonValue))),
        this.append(runId, events),
      ]);
    });
    await this.#journals.set(runId, {
      close: async () => {
        await journal.settled();
        await lines.close();
      },
    });
    return journal;
  }

  async remove(runId: string): Promise<void> {
    if (!isRunId(runId) || !(await this.#isOurs(runId))) return;
    await this.#locks.hold(runId, async () => {
      await rm(this.path(runId), { force: true });
      await this.#removeBeside(runId);
    });
    await this.#claims.forget(runId);
    await rm(this.#locks.path(runId), { recursive: true, force: true });
  }

  async claim(request: ClaimRequest): Promise<RunClaim[]> {
    const claims: RunClaim[] = [];
    for (const lease of await this.#claims.claim(request, await this.#files.records())) {
      faultPoint('run.after-claimed');
      const claim = await this.#begun(lease, request);
      if (claim !== undefined) claims.push(claim);
    }
    return claims;
  }

  async renew(lease: RunLease, leaseMs: number): Promise<boolean> {
    return this.#claims.renew(lease, leaseMs);
  }

  release(lease: RunLease): Promise<void> {
    return this.#claims.release(lease);
  }

  async close(): Promise<void> {
    await this.#locks.settled();
    await this.#journals.closeAll();
    await this.#logs.closeAll();
  }

  /** The run as it is after its claim. One whose values cannot be restored does not keep the others. */
  async #begun(lease: RunLease, { begin }: ClaimRequest): Promise<RunClaim | undefined> {
    const { run_id: runId } = lease;
    for (;;) {
      let record: RunRecord | undefined;
      try {
        record = await this.read(runId);
      } catch (problem) {
        const shown = isLaitError(problem) ? await this.read(runId, 'show') : undefined;
        if (!isLaitError(problem) || shown === undefined) throw problem;
        return { lease, record: shown, problem };
      }
      if (record === undefined) return undefined;
      const update = begin?.(record);
      if (update === undefined) return { lease, record };
      const { revision } = record;
      const begun = await this.update(runId, { ...update, revision, lease, known: record });
      if (begun !== undefined) return { lease, record: begun };
    }
  }

  protected records(): Promise<readonly RunRecord[]> {
    return this.#files.records();
  }

  /** The members of a record that a change concerns, as they are stored. */
  #changed(record: RunRecord, change: RunChange): JsonObject {
    const names = new Set([...Object.keys(change), 'revision', 'updated_at', 'queued_at']);
    const members = Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
    return this.#codec.pack(members) as JsonObject;
  }

  async #write(runId: string, snapshot: RunSnapshot, isNew: boolean): Promise<void> {
    faultPoint('snapshot.before-rename');
    await replaceFile(this.path(runId), snapshotText(snapshot), {
      makeDirectories: true,
      temporary: this.#files.temporary(`${runId}.run.json`),
      syncDirectory: isNew,
    });
    faultPoint('snapshot.after-rename');
  }

  async #log(runId: string): Promise<EventLog> {
    const open = this.#logs.get(runId);
    if (open !== undefined) return open;
    const log = new EventLog(this.#files.log(runId));
    await this.#logs.set(runId, log);
    return log;
  }

  /** Runs of other kinds are recorded in the same directory and are not touched. A damaged file may be removed. */
  async #isOurs(runId: string): Promise<boolean> {
    try {
      return (await this.#files.stored(runId)) !== undefined;
    } catch (error) {
      if (isLaitError(error) && error.code === 'file_damaged') return true;
      throw error;
    }
  }

  /** Without its journal a run that has begun would repeat everything that it has done. */
  async #refuseLostJournal({ run_id, started_at, finished_at }: RunRecord, path: string): Promise<void> {
    if (started_at === undefined || finished_at !== undefined) return;
    const worked = (await this.events(run_id)).some(({ event_type }) => event_type === 'node_completed');
    if (worked) throw damaged(path, 'it is missing');
  }

  async #removeBeside(runId: string): Promise<void> {
    await this.#logs.close(runId);
    await this.#journals.close(runId);
    await rm(this.#files.journal(runId).path, { force: true });
    await rm(this.#files.log(runId).path, { force: true });
  }
}
