import type { RunDefinition } from '../../run-record.js';
import type { Database, Queries } from '../database/database.js';
import { parts } from '../database/insert-new.js';
import { prepared } from '../database/prepared.js';
import { digest } from '../digest.js';

const find = prepared((queries, { digest: one }: { digest: string }) =>
  queries.selectFrom('pinned_definitions').select('digest').where('digest', '=', one),
);
/** A clean-up of unused ones waits. */
const findShared = prepared((queries, { digest: one }: { digest: string }) =>
  queries.selectFrom('pinned_definitions').select('digest').where('digest', '=', one).forKeyShare(),
);

/** So many characters of definitions are kept in memory at most. */
const largestCache = 4_000_000;

/**
 * What runs run, stored once however many runs share it. A definition is known by its digest and never changes, so what
 * was read once need not be read again.
 */
export class PinnedDefinitions {
  readonly #known = new Map<string, string>();
  #size = 0;

  constructor(private readonly engine: Database['engine']) {}

  /** Stores a definition unless it is there, and keeps it there until the transaction ends. Gives its digest. */
  async pin(queries: Queries, definition: RunDefinition): Promise<string> {
    const text = JSON.stringify(definition);
    const pinned = { digest: digest(text), definition: text };
    const { rows } = await (this.engine === 'postgres' ? findShared : find)(queries, pinned);
    if (rows.length === 0)
      await queries
        .insertInto('pinned_definitions')
        .values(pinned)
        .onConflict((conflict) => conflict.column('digest').doUpdateSet({ digest: pinned.digest }))
        .execute();
    return pinned.digest;
  }

  /** Removes a definition that no run has any more. */
  async unpin(queries: Queries, unused: string): Promise<void> {
    // Whoever is just beginning a run of it comes first.
    if (this.engine === 'postgres')
      await queries
        .selectFrom('pinned_definitions')
        .select('digest')
        .where('digest', '=', unused)
        .forUpdate()
        .execute();
    await queries
      .deleteFrom('pinned_definitions')
      .where('digest', '=', unused)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('runs')
              .select('run_id')
              .whereRef('definition_digest', '=', 'pinned_definitions.digest'),
          ),
        ),
      )
      .execute();
  }

  /** The texts of definitions by their digests; one that was removed meanwhile is missing. */
  async texts(queries: Queries, digests: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    const unknown: string[] = [];
    for (const one of new Set(digests)) {
      const text = this.#known.get(one);
      if (text === undefined) unknown.push(one);
      else texts.set(one, text);
    }
    for (const part of parts(unknown)) {
      const found = await queries
        .selectFrom('pinned_definitions')
        .selectAll()
        .where('digest', 'in', part)
        .execute();
      for (const { digest: one, definition } of found) {
        texts.set(one, definition);
        this.#keep(one, definition);
      }
    }
    return texts;
  }

  #keep(one: string, text: string): void {
    if (this.#known.has(one)) return;
    this.#known.set(one, text);
    this.#size += text.length;
    for (const [oldest, { length }] of this.#known) {
      if (this.#size <= largestCache) return;
      this.#known.delete(oldest);
      this.#size -= length;
    }
  }
}
