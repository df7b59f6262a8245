import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultPoint } from '../../../engine/fault-point.js';
import type { JournalEntry } from '../../../engine/journal.js';
import { UsageError } from '../../../errors/errors.js';
import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import type { JsonValue } from '../../../values/value.js';
import { replaceFile } from '../../atomic-file.js';
import { runNotFound } from '../../run-errors.js';
import { isRunId } from '../../run-id.js';
import type { NewRunEvent, RunLogEvent, RunRecord } from '../../run-record.js';
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
  StoredJournal,
} from '../../run-store.js';
import { IndexedJournal } from '../indexed-journal.js';
import { isSelected, selectQuestions, selectRuns } from '../run-selection.js';
import { changedRecord, leaseLost, newRecord, runExists } from '../stored-record.js';
import { type SecretCodec, ValueCodec } from '../value-codec.js';
import { EventLog } from './event-log.js';
import { FileClaims } from './file-claims.js';
import { damaged, JsonLines, type JsonLinesOptions } from './json-lines.js';
import { RunLocks } from './run-lock.js';
import { type RunSnapshot, readSnapshot, writeSnapshot } from './run-snapshot.js';

export interface FileRunStoreOptions {
  /** Keeps secrets out of the files. Default: values are stored as they are. */
  secrets?: SecretCodec;
  /** How long another process that changes a run is waited for, in milliseconds. Default 10,000. */
  patienceMs?: number;
}

interface Listed {
  inode: number;
  modified: number;
  record: RunRecord | undefined;
}

/**
 * Runs as files under a `.lait` directory, for its owner alone: `runs/<id>.json` is a run, `journal/<id>.jsonl` its
 * outcomes, `journal/<id>.events.jsonl` its log. The run's file is replaced in one step and decides what happened: events
 * of its last change are in it until they are in the log. Several processes may use the directory at once.
 */
export class FileRunStore implements RunStore {
  readonly #codec: ValueCodec;
  readonly #locks: RunLocks;
  readonly #claims: FileClaims;
  readonly #logs = new Map<string, EventLog>();
  readonly #journals = new Set<{ journal: IndexedJournal; lines: JsonLines }>();
  readonly #listed = new Map<string, Listed>();

  /** `directory`: the `.lait` directory. */
  constructor(
    readonly directory: string,
    { secrets, patienceMs = 10_000 }: FileRunStoreOptions = {},
  ) {
    this.#codec = new ValueCodec(secrets);
    this.#locks = new RunLocks(join(directory, 'locks'), patienceMs);
    this.#claims = new FileClaims(join(directory, 'claims'));
  }

  /** Where a run is recorded. */
  path(runId: string): string {
    return join(this.directory, 'runs', `${checkedId(runId)}.json`);
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
        const lines = new JsonLines(this.#journalOptions(run_id));
        await lines.append(entries.map((entry) => this.#codec.pack(entry as unknown as JsonValue)));
        await lines.close();
      }
      const pending = new EventLog(this.#logOptions(run_id)).place(run_id, events);
      await this.#write({ record: newRecord(record), pending }, true);
    });
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    if (!isRunId(runId)) return undefined;
    return (await readSnapshot(this.path(runId), this.#codec, false))?.record;
  }

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    return structuredClone(selectRuns(await this.#records(), filter));
  }

  async count(selection: RunSelection = {}): Promise<number> {
    return (await this.#records()).filter((record) => isSelected(record, selection)).length;
  }

  async questions(filter: QuestionFilter = {}): Promise<InboxQuestion[]> {
    return structuredClone(selectQuestions(await this.#records(), filter));
  }

  /** Runs whose files cannot be read, with the reason; lists leave them out. */
  async problems(): Promise<{ run_id: string; problem: string }[]> {
    const problems: { run_id: string; problem: string }[] = [];
    for (const run_id of await this.#ids()) {
      try {
        await readSnapshot(this.path(run_id), this.#codec, true);
      } catch (error) {
        if (!isLaitError(error)) throw error;
        problems.push({ run_id, problem: error.message });
      }
    }
    return problems;
  }

  async update(
    runId: string,
    revision: number,
    change: RunChange,
    events: readonly NewRunEvent[],
  ): Promise<RunRecord | undefined> {
    if (!isRunId(runId)) return undefined;
    return this.#locks.hold(runId, async () => {
      const found = await readSnapshot(this.path(runId), this.#codec, false);
      if (found === undefined || found.record.revision !== revision) return undefined;
      const log = this.#log(runId);
      await log.refresh(found.pending);
      // The new snapshot takes the place of the events that only the old one holds.
      await log.append([]);
      const record = changedRecord(found.record, change);
      await this.#write({ record, pending: log.place(runId, events) }, false);
      if (change.status === 'queued') this.#claims.free(runId);
      return record;
    });
  }

  async append(runId: string, events: readonly NewRunEvent[]): Promise<void> {
    if (events.length === 0 || !isRunId(runId)) return;
    await this.#locks.hold(runId, async () => {
      const found = await readSnapshot(this.path(runId), this.#codec, true);
      if (found === undefined) return;
      const log = this.#log(runId);
      await log.refresh(found.pending);
      const placed = log.place(runId, events);
      if (placed.length > 0) await log.append(placed);
    });
  }

  async events(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): Promise<RunLogEvent[]> {
    if (!isRunId(runId)) return [];
    const found = await readSnapshot(this.path(runId), this.#codec, true);
    if (found === undefined) return [];
    // A log of its own: the shared one belongs to whoever holds the lock.
    const log = new EventLog(this.#logOptions(runId));
    return structuredClone((await log.refresh(found.pending)).slice(after, after + limit));
  }

  async journal(runId: string, lease?: RunLease): Promise<StoredJournal> {
    const record = await this.read(runId);
    if (record === undefined) throw runNotFound(runId);
    const options = this.#journalOptions(runId);
    const lines = new JsonLines(options);
    const stored = await lines.refresh();
    // Without its journal a run would repeat everything that it has done.
    if (stored === undefined && record.started_at !== undefined && record.finished_at === undefined)
      await this.#refuseLostJournal(runId, options.path);
    const entries = (stored ?? []).map((line) => this.#codec.unpack(line) as unknown as JournalEntry);
    const journal = new IndexedJournal(entries, async (added) => {
      if (lease !== undefined && !this.#claims.isNewest(lease)) throw leaseLost(runId);
      await lines.append(added.map((entry) => this.#codec.pack(entry as unknown as JsonValue)));
    });
    this.#journals.add({ journal, lines });
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
    for (const lease of await this.#claims.claim(request, await this.#records())) {
      const record = await this.read(lease.run_id);
      if (record !== undefined) claims.push({ lease, record });
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
    for (const { journal, lines } of this.#journals) {
      await journal.settled();
      await lines.close();
    }
    for (const log of this.#logs.values()) await log.close();
    this.#journals.clear();
    this.#logs.clear();
  }

  async #write(snapshot: RunSnapshot, isNew: boolean): Promise<void> {
    const { run_id } = snapshot.record;
    faultPoint('snapshot.before-rename');
    await replaceFile(this.path(run_id), writeSnapshot(snapshot, this.#codec), {
      temporary: join(this.directory, 'tmp', `${run_id}.run.json`),
      syncDirectory: isNew,
    });
    faultPoint('snapshot.after-rename');
  }

  #log(runId: string): EventLog {
    let log = this.#logs.get(runId);
    if (log === undefined) {
      log = new EventLog(this.#logOptions(runId));
      this.#logs.set(runId, log);
    }
    return log;
  }

  #logOptions(runId: string): JsonLinesOptions {
    return {
      path: join(this.directory, 'journal', `${runId}.events.jsonl`),
      runId,
      temporary: join(this.directory, 'tmp', `${runId}.events.jsonl`),
    };
  }

  #journalOptions(runId: string): JsonLinesOptions {
    return {
      path: join(this.directory, 'journal', `${runId}.jsonl`),
      runId,
      temporary: join(this.directory, 'tmp', `${runId}.jsonl`),
    };
  }

  /** Records as they are shown, from files that have changed since the last look. Unreadable ones are left out. */
  async #records(): Promise<RunRecord[]> {
    const ids = await this.#ids();
    const records: RunRecord[] = [];
    for (const id of ids) {
      const path = this.path(id);
      const stat = await lstat(path).catch(() => undefined);
      if (stat === undefined) continue;
      let listed = this.#listed.get(id);
      if (listed?.inode !== stat.ino || listed.modified !== stat.mtimeMs) {
        const found = await readSnapshot(path, this.#codec, true).catch(() => undefined);
        listed = { inode: stat.ino, modified: stat.mtimeMs, record: found?.record };
        this.#listed.set(id, listed);
      }
      if (listed.record !== undefined) records.push(listed.record);
    }
    const present = new Set(ids);
    for (const id of this.#listed.keys()) if (!present.has(id)) this.#listed.delete(id);
    return records;
  }

  async #ids(): Promise<string[]> {
    const directory = join(this.directory, 'runs');
    try {
      const names = await readdir(directory);
      return names
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
        .filter(isRunId);
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      if (code === 'ENOENT') return [];
      throw new LaitError({ code: 'file_unreadable', message: `cannot read ${directory}: ${message}` });
    }
  }

  /** Runs of other kinds are recorded in the same directory and are not touched. A damaged file may be removed. */
  async #isOurs(runId: string): Promise<boolean> {
    try {
      return (await readSnapshot(this.path(runId), this.#codec, true)) !== undefined;
    } catch (error) {
      if (isLaitError(error) && error.code === 'file_damaged') return true;
      throw error;
    }
  }

  async #refuseLostJournal(runId: string, path: string): Promise<void> {
    const worked = (await this.events(runId)).some(({ event_type }) => event_type === 'node_completed');
    if (worked) throw damaged(path, 'it is missing');
  }

  async #removeBeside(runId: string): Promise<void> {
    await this.#logs.get(runId)?.close();
    this.#logs.delete(runId);
    for (const kept of this.#journals) if (await this.#isOf(kept.lines, runId)) this.#journals.delete(kept);
    await rm(this.#journalOptions(runId).path, { force: true });
    await rm(this.#logOptions(runId).path, { force: true });
  }

  async #isOf(lines: JsonLines, runId: string): Promise<boolean> {
    if (lines.runId !== runId) return false;
    await lines.close();
    return true;
  }
}

function checkedId(runId: string): string {
  if (isRunId(runId)) return runId;
  throw new UsageError({
    code: 'run_id_invalid',
    message: `'${runId}' is no run id: letters, digits, '-' and '_' only`,
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return false;
    throw error;
  }
}
