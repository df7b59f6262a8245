import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextFile } from '../files/read-file.js';
import { writeFileAtomically } from '../files/write-file.js';
import type { SecretRegistry } from '../values/secrets.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { RawReply } from './read-completion.js';
import { readReply, writeReply } from './recorded-reply.js';
import { differingParts, partDigests } from './request-key.js';

/** How many entries a miss is compared with, the newest first. */
const maxCompared = 100;

export type CacheLookup = { reply: RawReply; reason: string } | { reply?: undefined; reason: string };

/**
 * Replies to equal requests, kept in a directory. Keyed as recordings are; errors never get in. Entries hold the reply
 * and digests of the request's parts, not its text. An entry that cannot be read is a miss.
 */
export class ResponseCache {
  readonly #directory: string;
  readonly #ttlSeconds: number | undefined;

  constructor(options: { directory: string; ttlSeconds?: number }) {
    this.#directory = options.directory;
    this.#ttlSeconds = options.ttlSeconds;
  }

  /** `explain`: whether the reason of a miss is worth comparing with other entries. */
  async read(key: string, request: JsonObject, explain: boolean): Promise<CacheLookup> {
    const entry = await this.#load(key);
    const reply = readReply(entry?.reply);
    if (entry === undefined || reply === undefined) {
      return { reason: explain ? await this.#explainMiss(request) : 'cache miss' };
    }
    const ageSeconds = Math.max(0, (Date.now() - Number(entry.created_at)) / 1000);
    if (this.#ttlSeconds !== undefined && !(ageSeconds <= this.#ttlSeconds)) {
      return {
        reason: `cache miss: the entry is ${Math.round(ageSeconds)} s old, cache_ttl is ${this.#ttlSeconds} s`,
      };
    }
    return { reply, reason: `cache hit: ${key}, ${Math.round(ageSeconds)} s old` };
  }

  /** Keeps a reply, unless it holds a known secret: what is masked on disk would come back changed. */
  async write(key: string, request: JsonObject, reply: RawReply, secrets: SecretRegistry): Promise<void> {
    const written = writeReply(reply);
    if (secrets.maskValue(written) !== written) return;
    const entry = { format: 1, created_at: Date.now(), parts: partDigests(request), reply: written };
    await writeFileAtomically(this.#file(key), JSON.stringify(entry), { mode: 0o600 });
  }

  /** Removes every entry; gives back how many there were. */
  async clear(): Promise<number> {
    const names = await this.#names();
    for (const name of names) await rm(join(this.#directory, name), { force: true });
    return names.length;
  }

  async #explainMiss(request: JsonObject): Promise<string> {
    const asked = partDigests(request);
    const names = await this.#names();
    const dated = await Promise.all(
      names.map(async (name) => ({
        name,
        at: (await stat(join(this.#directory, name)).catch(() => null))?.mtimeMs ?? 0,
      })),
    );
    dated.sort((one, other) => other.at - one.at);
    let nearest: string[] | undefined;
    for (const { name } of dated.slice(0, maxCompared)) {
      const entry = await this.#load(name.slice(0, -'.json'.length));
      if (!isObject(entry?.parts)) continue;
      const parts = differingParts(asked, entry.parts as Record<string, string>);
      if (nearest === undefined || parts.length < nearest.length) nearest = parts;
    }
    return nearest === undefined
      ? 'cache miss: no entries yet'
      : `cache miss: the nearest entry differs in ${nearest.join(', ')}`;
  }

  async #load(key: string): Promise<JsonObject | undefined> {
    try {
      const parsed: JsonValue = JSON.parse(
        await readTextFile(this.#file(key), { maxBytes: 64 * 1024 * 1024 }),
      );
      return isObject(parsed) ? parsed : undefined;
    } catch {
      return undefined;
    }
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#directory)).filter((name) => /^[0-9a-f]{40}\.json$/.test(name));
    } catch {
      return [];
    }
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}
