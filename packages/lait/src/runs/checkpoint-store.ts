import { link, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors/errors.js';
import { isLaitError, LaitError } from '../errors/lait-error.js';
import { readTextFile } from '../files/read-file.js';
import { replaceFile } from '../files/replace-file.js';
import { didYouMean } from '../plan/suggest.js';
import { type Checkpoint, damagedCheckpoint, readCheckpoint } from './checkpoint.js';
import { CheckpointClaim, claimHolder, removeClaims } from './checkpoint-claim.js';
import { keepPrevious, type RecordPaths } from './keep-previous.js';
import type { ProcessIdentity } from './process-identity.js';
import { isRunId } from './run-id.js';

/** A record holds values without a limit of its own; this is what a text in memory can be. */
const maxCheckpointBytes = 512 * 1024 * 1024;

/** One run as a list shows it: its record, or why that cannot be read. */
export type ListedRun = { run_id: string; running?: ProcessIdentity } & (
  | { checkpoint: Checkpoint }
  | { problem: string }
);

/** Which content a writer last saw in a file. */
interface Seen {
  inode: number;
  modified: number;
  size: number;
}

/**
 * The records of runs under a `.lait` directory: `runs/<run-id>.json`, and what they need beside it. Values are stored
 * as they are given; secrets are the business of `SecretReferences`.
 */
export class CheckpointStore {
  readonly #seen = new Map<string, Seen>();

  /** `directory`: the `.lait` directory. */
  constructor(readonly directory: string) {}

  /** Where a run is recorded. */
  path(runId: string): string {
    return join(this.directory, 'runs', `${runId}.json`);
  }

  /** The ids of all recorded runs, the newest first. */
  async ids(): Promise<string[]> {
    const directory = join(this.directory, 'runs');
    let names: string[];
    try {
      names = await readdir(directory);
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      if (code === 'ENOENT') return [];
      throw new LaitError({ code: 'file_unreadable', message: `cannot read ${directory}: ${message}` });
    }
    const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
    return ids.filter(isRunId).sort().reverse();
  }

  /** Every run; those that cannot be read are listed with the reason. */
  async list(): Promise<ListedRun[]> {
    const listed: ListedRun[] = [];
    for (const run_id of await this.ids()) {
      const running = await this.holder(run_id);
      const about = { run_id, ...(running === undefined ? {} : { running }) };
      try {
        listed.push({ ...about, checkpoint: await this.read(run_id) });
      } catch (error) {
        if (!isLaitError(error)) throw error;
        // Removed meanwhile, or a run of the run store, which lists it itself.
        if (!['run_not_found', 'checkpoint_of_other_kind'].includes(error.code))
          listed.push({ ...about, problem: error.message });
      }
    }
    return listed;
  }

  /**
   * The id that a person means: `latest` is the newest run, of `workflowPath` when that is given. Throws a
   * `UsageError`: `run_id_invalid` for what is no plain name, `run_not_found` without runs.
   */
  async resolve(name: string, workflowPath?: string): Promise<string> {
    if (name !== 'latest') {
      if (isRunId(name)) return name;
      throw new UsageError({
        code: 'run_id_invalid',
        message: `'${name}' is no run id: letters, digits, '-' and '_' only, as \`lait runs list\` shows them`,
      });
    }
    for (const id of await this.ids()) {
      try {
        // A record that cannot be read may be the newest of this workflow: reading it says why it cannot be used.
        const { workflow_path: path } = await this.read(id);
        if (workflowPath === undefined || path === workflowPath) return id;
      } catch (error) {
        if (isLaitError(error) && error.code === 'checkpoint_of_other_kind') continue;
        if (workflowPath === undefined) return id;
        throw error;
      }
    }
    const of = workflowPath === undefined ? '' : ` of ${workflowPath}`;
    throw new UsageError({
      code: 'run_not_found',
      message: `there is no recorded run${of} in ${join(this.directory, 'runs')}; record one with --checkpoint`,
    });
  }

  /**
   * Reads a record. Throws a `UsageError` (code `run_not_found`), a `LaitError` with code `file_unreadable`, or what
   * `readCheckpoint` throws. Nothing is ever written over a file that could not be read.
   */
  async read(runId: string): Promise<Checkpoint> {
    const path = this.path(runId);
    let text: string;
    try {
      text = await readTextFile(path, { maxBytes: maxCheckpointBytes, pipes: false });
    } catch (error) {
      if (isLaitError(error) && error.code === 'file_not_found') throw await this.#notFound(runId);
      if (isLaitError(error) && error.code === 'file_not_utf8') {
        throw await this.#damaged(runId, damagedCheckpoint(path, 'it is not UTF-8'));
      }
      throw error;
    }
    try {
      const checkpoint = readCheckpoint(text, path, runId);
      await this.#remember(runId);
      return checkpoint;
    } catch (error) {
      if (!isLaitError(error) || error.code !== 'checkpoint_damaged') throw error;
      throw await this.#damaged(runId, error);
    }
  }

  /** A damaged record's error, with the way back when the record before it was kept. */
  async #damaged(runId: string, { code, message, details }: LaitError): Promise<LaitError> {
    const kept = await this.#readPrevious(runId).catch(() => undefined);
    if (kept === undefined) {
      const advice = 'It is left as it is; restore it from a copy, or start the run again';
      return new LaitError({ code, message: `${message}. ${advice}`, details });
    }
    const advice = `It is left as it is; \`lait runs restore ${runId}\` takes the record before it, of ${kept.checkpoint.updated_at}`;
    return new LaitError({ code, message: `${message}. ${advice}`, details });
  }

  /**
   * Puts the record before a damaged one in its place; the damaged file is kept beside it. Gives back the record and
   * where the damaged one is now. Throws a `UsageError` (`checkpoint_whole`: there is nothing to restore,
   * `checkpoint_not_kept`), `run_in_use`, and what `read` throws.
   */
  async restore(runId: string): Promise<{ checkpoint: Checkpoint; damagedPath: string }> {
    const claim = await this.claim(runId);
    try {
      const problem = await this.read(runId).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (problem === undefined) {
        throw new UsageError({
          code: 'checkpoint_whole',
          message: `the record of run '${runId}' is whole: there is nothing to restore`,
        });
      }
      if (!isLaitError(problem) || problem.code !== 'checkpoint_damaged') throw problem;
      const kept = await this.#readPrevious(runId).catch((error: unknown) => {
        const why = isLaitError(error) ? error.message : String(error);
        throw new UsageError({ code: 'checkpoint_not_kept', message: `nothing can be restored: ${why}` });
      });
      const damagedPath = `${this.path(runId)}.damaged`;
      // A second name instead of a new one: a restore that is broken off leaves a record to be restored.
      await rm(damagedPath, { force: true });
      await link(this.path(runId), damagedPath);
      await replaceFile(this.path(runId), kept.text, { syncDirectory: true });
      return { checkpoint: kept.checkpoint, damagedPath };
    } finally {
      await claim.release();
    }
  }

  /**
   * Writes a record, given in pieces: all of it or nothing, flushed to the disk. A file that this store has neither
   * written nor read is never replaced. Throws a `LaitError`: `file_unwritable`, `checkpoint_changed`,
   * `checkpoint_too_large`.
   */
  async save(runId: string, record: readonly Uint8Array[]): Promise<void> {
    if (record.reduce((bytes, { length }) => bytes + length, 0) > maxCheckpointBytes) {
      throw new LaitError({
        code: 'checkpoint_too_large',
        message: 'its values are larger than 512 MiB, more than a record can hold',
      });
    }
    const seen = this.#seen.get(runId);
    const now = await look(this.path(runId));
    if (now !== undefined && (seen === undefined || !isSame(seen, now))) {
      throw new LaitError({
        code: 'checkpoint_changed',
        message: `${this.path(runId)} was changed by somebody else and is not written over`,
      });
    }
    const replace = () =>
      replaceFile(this.path(runId), record, {
        makeDirectories: true,
        temporary: join(this.directory, 'tmp', `${runId}.json`),
        syncDirectory: seen === undefined,
      });
    await (now === undefined ? replace() : keepPrevious(this.#paths(runId), replace));
    await this.#remember(runId);
  }

  /** Takes the right to continue a run. Throws a `UsageError` (code `run_in_use`) when another process has it. */
  claim(runId: string): Promise<CheckpointClaim> {
    return CheckpointClaim.take(this.#claims, runId);
  }

  /** The process that works on a run now. */
  holder(runId: string): Promise<ProcessIdentity | undefined> {
    return claimHolder(this.#claims, runId);
  }

  /** Removes a run and what belongs to it. Throws like `read` when there is none, and `run_in_use` while it runs. */
  async remove(runId: string): Promise<void> {
    if ((await look(this.path(runId))) === undefined) throw await this.#notFound(runId);
    await this.claim(runId);
    try {
      await rm(this.path(runId));
    } catch (error) {
      const { message } = error as { message?: string };
      throw new LaitError({
        code: 'file_unwritable',
        message: `cannot remove ${this.path(runId)}: ${message}`,
      });
    }
    await removeClaims(this.#claims, runId);
    const { leaving, previous } = this.#paths(runId);
    const besides = [
      join(this.directory, 'tmp', `${runId}.json`),
      leaving,
      previous,
      `${this.path(runId)}.damaged`,
    ];
    for (const path of besides) await rm(path, { force: true });
  }

  #paths(runId: string): RecordPaths {
    return {
      present: this.path(runId),
      leaving: join(this.directory, 'tmp', `${runId}.previous.json`),
      previous: join(this.directory, 'previous', `${runId}.json`),
    };
  }

  async #readPrevious(runId: string): Promise<{ text: string; checkpoint: Checkpoint }> {
    const { previous: path } = this.#paths(runId);
    const text = await readTextFile(path, { maxBytes: maxCheckpointBytes, pipes: false });
    return { text, checkpoint: readCheckpoint(text, path, runId) };
  }

  get #claims(): string {
    return join(this.directory, 'claims');
  }

  async #remember(runId: string): Promise<void> {
    const seen = await look(this.path(runId));
    if (seen !== undefined) this.#seen.set(runId, seen);
  }

  async #notFound(runId: string): Promise<UsageError> {
    const ids = await this.ids().catch(() => []);
    const hint = didYouMean(runId, ids);
    return new UsageError({
      code: 'run_not_found',
      message: `there is no run '${runId}' in ${join(this.directory, 'runs')}; ${hint ?? '`lait runs list` shows them'}`,
    });
  }
}

async function look(path: string): Promise<Seen | undefined> {
  try {
    const { ino, mtimeMs, size } = await lstat(path);
    return { inode: ino, modified: mtimeMs, size };
  } catch {
    return undefined;
  }
}

function isSame(a: Seen, b: Seen): boolean {
  return a.inode === b.inode && a.modified === b.modified && a.size === b.size;
}
