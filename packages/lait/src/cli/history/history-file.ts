import { appendFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Variables } from '../../config/environment.js';
import { isLaitError } from '../../errors/lait-error.js';
import { makeDirectory } from '../../files/make-directory.js';
import { readTextFile } from '../../files/read-file.js';
import { unwritable } from '../../files/unwritable.js';
import { writeFileAtomically } from '../../files/write-file.js';
import type { SecretRegistry } from '../../values/secrets.js';
import { isObject, type JsonObject } from '../../values/value.js';
import { stateDirectory } from '../state-directory.js';

/** One request or run. */
export interface HistoryEntry {
  /** When it began, ISO 8601. */
  at: string;
  command: 'run' | 'chat' | 'agent';
  /** Where it was started. */
  directory: string;
  /** The workflow, agent or model. */
  name: string;
  prompt: string | null;
  /** What a model answered; null for runs and failures. */
  answer: string | null;
  exit_code: number;
  duration_ms: number;
}

/** The file is cut to its newest entries when it has grown beyond this. */
const mostBytes = 4 * 1024 * 1024;
const keptEntries = 1000;
/** Longest prompt and answer that are kept, in characters. */
const mostCharacters = 16_384;

/** Requests and runs of a user, oldest first, as JSON Lines that nobody else may read. */
export class HistoryFile {
  readonly path: string;

  /** `variables`: the inherited ones. */
  constructor(variables: Variables) {
    this.path = join(stateDirectory(variables), 'history.jsonl');
  }

  /** Adds an entry; known secrets in it are masked. */
  async add(entry: HistoryEntry, secrets: SecretRegistry): Promise<void> {
    const kept = { ...entry, prompt: cut(entry.prompt), answer: cut(entry.answer) };
    await makeDirectory(dirname(this.path), 0o700);
    // One write in append mode: commands that end at the same time do not mix their lines.
    await appendFile(this.path, `${JSON.stringify(secrets.maskValue(kept as unknown as JsonObject))}\n`, {
      mode: 0o600,
    });
    if ((await stat(this.path)).size > mostBytes) await this.#shorten();
  }

  /** All entries, oldest first; lines that are none are left out. */
  async read(signal?: AbortSignal): Promise<HistoryEntry[]> {
    let text: string;
    try {
      text = await readTextFile(this.path, { signal });
    } catch (error) {
      if (isLaitError(error) && error.code === 'file_not_found') return [];
      throw error;
    }
    return text.split('\n').flatMap((line) => entryOf(line) ?? []);
  }

  async clear(): Promise<void> {
    await rm(this.path, { force: true }).catch((error: unknown) => {
      throw unwritable(this.path, error);
    });
  }

  async #shorten(): Promise<void> {
    const entries = (await this.read()).slice(-keptEntries);
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    while (lines.length > 1 && Buffer.byteLength(lines.join('')) > mostBytes / 2)
      lines.splice(0, Math.ceil(lines.length / 2));
    await writeFileAtomically(this.path, lines.join(''), { mode: 0o600 });
  }
}

function entryOf(line: string): HistoryEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && typeof entry.at === 'string' && typeof entry.name === 'string'
      ? (entry as unknown as HistoryEntry)
      : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string | null): string | null {
  return text === null || text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`;
}
