import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Variables } from '../../config/environment.js';
import type { Power } from '../../config/powers.js';
import { readTextFile } from '../../files/read-file.js';
import { writeFileAtomically } from '../../files/write-file.js';
import { isObject, type JsonObject, setOwnProperty } from '../../values/value.js';
import { stateDirectory } from '../state-directory.js';

/** Names what a configuration may do: it changes exactly when that changes. */
export function digestOf(powers: readonly Power[]): string {
  const lines = powers.map(({ place, does }) => JSON.stringify([place, does])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

type Section = 'trusted' | 'warned';

/** The configurations that a user trusts, and those that were warned of, by path and digest: `trust.json`. */
export class TrustStore {
  readonly file: string;

  /** `variables`: the inherited ones. A `.env` file must not choose where trust is looked up. */
  constructor(variables: Variables) {
    this.file = join(stateDirectory(variables), 'trust.json');
  }

  async has(section: Section, path: string, digest: string): Promise<boolean> {
    const entries = (await this.#read())[section];
    return isObject(entries) && Object.hasOwn(entries, path) && entries[path] === digest;
  }

  async add(section: Section, path: string, digest: string): Promise<void> {
    const stored = await this.#read();
    const entries = isObject(stored[section]) ? { ...stored[section] } : {};
    setOwnProperty(entries, path, digest);
    await this.#write({ ...stored, [section]: entries });
  }

  /** False when it was not trusted. */
  async remove(path: string): Promise<boolean> {
    const stored = await this.#read();
    if (!isObject(stored.trusted) || !Object.hasOwn(stored.trusted, path)) return false;
    const { [path]: _, ...trusted } = stored.trusted;
    await this.#write({ ...stored, trusted });
    return true;
  }

  /** A file that cannot be read trusts nobody. */
  async #read(): Promise<JsonObject> {
    try {
      const stored: unknown = JSON.parse(await readTextFile(this.file));
      return isObject(stored) && stored.format === 1 ? stored : {};
    } catch {
      return {};
    }
  }

  async #write(stored: JsonObject): Promise<void> {
    await writeFileAtomically(this.file, `${JSON.stringify({ ...stored, format: 1 }, null, 2)}\n`, {
      mode: 0o600,
    });
  }
}
