import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LaitError } from '../errors/lait-error.js';
import { readTextFile } from '../files/read-file.js';
import { writeFileAtomically } from '../files/write-file.js';
import type { SecretRegistry } from '../values/secrets.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { RawReply } from './read-completion.js';
import { readReply, writeReply } from './recorded-reply.js';
import { differingParts, partDigests } from './request-key.js';

/** The format that is written. Newer ones are refused. */
const cassetteFormat = 1;
const maxCassetteBytes = 64 * 1024 * 1024;
/** How many recordings a miss is compared with. */
const maxCompared = 500;

/** A directory of recorded replies: one JSON file per request, named by the request's key. Source: facts §18. */
export class Cassettes {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Stores a reply with its request, both masked. Gives back true when masking changed the reply: its replay will
   * differ from what was answered.
   */
  async write(key: string, request: JsonObject, reply: RawReply, secrets: SecretRegistry): Promise<boolean> {
    const written = writeReply(reply);
    const masked = secrets.maskValue(written);
    const cassette = { format: cassetteFormat, request: secrets.maskValue(request), reply: masked };
    await writeFileAtomically(this.#file(key), `${JSON.stringify(cassette, null, 2)}\n`);
    return masked !== written;
  }

  /** The recorded reply. Throws a `LaitError` with code `replay_miss` or `recording_unreadable`. */
  async read(key: string, request: JsonObject, signal: AbortSignal): Promise<RawReply> {
    const cassette = await this.#load(key, signal);
    if (cassette === undefined) throw await this.#miss(key, request, signal);
    const reply = readReply(cassette.reply);
    if (reply === undefined) throw unreadable(this.#file(key), 'it holds no reply');
    return reply;
  }

  async #load(key: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    let text: string;
    try {
      text = await readTextFile(this.#file(key), { signal, maxBytes: maxCassetteBytes });
    } catch (error) {
      if (error instanceof LaitError && error.code === 'file_not_found') return undefined;
      throw error;
    }
    let parsed: JsonValue;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw unreadable(this.#file(key), (error as Error).message);
    }
    if (!isObject(parsed)) throw unreadable(this.#file(key), 'it is no JSON object');
    if (typeof parsed.format === 'number' && parsed.format > cassetteFormat) {
      throw unreadable(this.#file(key), `a newer lait wrote it (format ${parsed.format})`);
    }
    return parsed;
  }

  async #miss(key: string, request: JsonObject, signal: AbortSignal): Promise<LaitError> {
    const keys = await this.#keys();
    const asked = partDigests(request);
    let nearest: { key: string; parts: string[] } | undefined;
    for (const other of (keys ?? []).slice(0, maxCompared)) {
      const cassette = await this.#load(other, signal).catch(() => undefined);
      if (!isObject(cassette?.request)) continue;
      const parts = differingParts(asked, partDigests(cassette.request));
      if (nearest === undefined || parts.length < nearest.parts.length) nearest = { key: other, parts };
    }
    const why =
      keys === undefined
        ? 'the directory does not exist'
        : nearest === undefined
          ? 'it holds no recordings'
          : `the nearest one, ${nearest.key}.json, differs in ${listed(nearest.parts)}`;
    return new LaitError({
      code: 'replay_miss',
      message: `no recorded reply in ${this.#directory} for this request: ${why}; \`lait run\` and \`lait chat\` record it with --record ${this.#directory}`,
      details: {
        key,
        directory: this.#directory,
        ...(nearest === undefined ? {} : { nearest: nearest.key, differs: nearest.parts }),
      },
    });
  }

  /** The keys in the directory; undefined when there is no such directory. */
  async #keys(): Promise<string[] | undefined> {
    try {
      const names = await readdir(this.#directory);
      return names
        .filter((name) => /^[0-9a-f]{40}\.json$/.test(name))
        .map((name) => name.slice(0, -'.json'.length))
        .sort();
    } catch {
      return undefined;
    }
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}

function listed(parts: readonly string[]): string {
  return parts.length <= 4
    ? parts.join(', ')
    : `${parts.slice(0, 4).join(', ')} and ${parts.length - 4} more`;
}

function unreadable(file: string, reason: string): LaitError {
  return new LaitError({ code: 'recording_unreadable', message: `cannot replay from ${file}: ${reason}` });
}
