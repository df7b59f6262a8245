import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../errors/errors.js';
import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import { isRunId } from '../../run-id.js';
import type { RunRecord } from '../../run-record.js';
import type { RunUse } from '../../run-store.js';
import type { ValueCodec } from '../value-codec.js';
import type { JsonLinesOptions } from './json-lines.js';
import { type RunSnapshot, readSnapshot, recordOf } from './run-snapshot.js';

interface Listed {
  inode: number;
  modified: number;
  record: RunRecord | undefined;
}

/** The files of runs under a `.lait` directory: where they are, and which runs there are. */
export class RunDirectory {
  readonly #listed = new Map<string, Listed>();

  constructor(
    readonly path: string,
    private readonly codec: ValueCodec,
  ) {}

  /** The file of a run. Throws a `UsageError` (code `run_id_invalid`) for what is no plain name. */
  snapshot(runId: string): string {
    return join(this.path, 'runs', `${checkedId(runId)}.json`);
  }

  journal(runId: string): JsonLinesOptions {
    return this.#lines(runId, `${runId}.jsonl`);
  }

  log(runId: string): JsonLinesOptions {
    return this.#lines(runId, `${runId}.events.jsonl`);
  }

  /** Where a file is written before it takes its place. */
  temporary(name: string): string {
    return join(this.path, 'tmp', name);
  }

  /** What the file of a run says. Throws what `readSnapshot` throws. */
  async stored(runId: string): Promise<RunSnapshot | undefined> {
    return isRunId(runId) ? readSnapshot(this.snapshot(runId)) : undefined;
  }

  /** The run that a file holds. Throws what `readSnapshot` and, for work, `SecretCodec.restore` throw. */
  async record(runId: string, use: RunUse): Promise<RunRecord | undefined> {
    const found = await this.stored(runId);
    return found && recordOf(found, this.codec, use);
  }

  /** Records as they are shown, from files that have changed since the last look. Unreadable ones are left out. */
  async records(): Promise<RunRecord[]> {
    const ids = await this.#ids();
    const records: RunRecord[] = [];
    for (const id of ids) {
      const stat = await lstat(this.snapshot(id)).catch(() => undefined);
      if (stat === undefined) continue;
      let listed = this.#listed.get(id);
      if (listed?.inode !== stat.ino || listed.modified !== stat.mtimeMs) {
        const record = await this.record(id, 'show').catch(() => undefined);
        listed = { inode: stat.ino, modified: stat.mtimeMs, record };
        this.#listed.set(id, listed);
      }
      if (listed.record !== undefined) records.push(listed.record);
    }
    const present = new Set(ids);
    for (const id of this.#listed.keys()) if (!present.has(id)) this.#listed.delete(id);
    return records;
  }

  /** Runs whose files cannot be read, with the reason. */
  async problems(): Promise<{ run_id: string; problem: string }[]> {
    const problems: { run_id: string; problem: string }[] = [];
    for (const run_id of await this.#ids()) {
      try {
        await this.record(run_id, 'show');
      } catch (error) {
        if (!isLaitError(error)) throw error;
        problems.push({ run_id, problem: error.message });
      }
    }
    return problems;
  }

  async #ids(): Promise<string[]> {
    const directory = join(this.path, 'runs');
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

  #lines(runId: string, name: string): JsonLinesOptions {
    return { path: join(this.path, 'journal', name), runId, temporary: this.temporary(name) };
  }
}

function checkedId(runId: string): string {
  if (isRunId(runId)) return runId;
  throw new UsageError({
    code: 'run_id_invalid',
    message: `'${runId}' is no run id: letters, digits, '-' and '_' only`,
  });
}
