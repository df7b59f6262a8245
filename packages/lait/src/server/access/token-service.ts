import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database } from '../../runs/stores/database/database.js';
import type { TokensTable } from '../../runs/stores/database/tables.js';
import type { Actor, Scope } from './scopes.js';

/** What is known of a token; the token itself is known to its owner alone. */
export interface TokenView {
  id: string;
  name: string;
  scopes: readonly Scope[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** The last use is written down at most this often. */
const usedEveryMs = 60_000;

/** Bearer tokens: 256 random bits, of which only a SHA-256 hash is stored. */
export class TokenService {
  readonly #used = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** Makes a token. It is shown once: nobody can read it again. */
  async create(options: {
    name: string;
    scopes: readonly Scope[];
    expiresAt?: string;
  }): Promise<{ token: string; view: TokenView }> {
    const token = `lait_${randomBytes(32).toString('base64url')}`;
    const row: Selectable<TokensTable> = {
      token_id: `tok_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
      name: JSON.stringify(options.name),
      digest: digestOf(token),
      scopes: JSON.stringify(options.scopes),
      created_at: new Date().toISOString(),
      expires_at: options.expiresAt ?? null,
      last_used_at: null,
      revoked_at: null,
    };
    await this.database.write((queries) => queries.insertInto('tokens').values(row).execute());
    return { token, view: viewOf(row) };
  }

  /** The oldest first, revoked ones included. */
  async list(): Promise<TokenView[]> {
    const rows = await this.database.read((queries) =>
      queries.selectFrom('tokens').selectAll().orderBy('created_at').orderBy('token_id').execute(),
    );
    return rows.map(viewOf);
  }

  /** Ends a token for good. False when there is none of this id. */
  async revoke(id: string): Promise<boolean> {
    return this.database.write(async (queries) => {
      const row = await queries
        .selectFrom('tokens')
        .selectAll()
        .where('token_id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return false;
      if (row.revoked_at === null)
        await queries
          .updateTable('tokens')
          .set({ revoked_at: new Date().toISOString() })
          .where('token_id', '=', id)
          .execute();
      return true;
    });
  }

  /** True when there is a token that somebody can use. */
  async hasUsable(): Promise<boolean> {
    const now = Date.now();
    return (await this.list()).some((token) => isUsable(token, now));
  }

  /** Who a token belongs to; `undefined` for one that is unknown, revoked or past its time. */
  async actorOf(token: string): Promise<Actor | undefined> {
    // The look-up is by the hash of what was sent: how long it takes says nothing about tokens that exist.
    const row = await this.database.read((queries) =>
      queries.selectFrom('tokens').selectAll().where('digest', '=', digestOf(token)).executeTakeFirst(),
    );
    if (row === undefined) return undefined;
    const view = viewOf(row);
    const now = Date.now();
    if (!isUsable(view, now)) return undefined;
    this.#remember(view.id, now);
    return { id: view.id, name: view.name, scopes: view.scopes };
  }

  #remember(id: string, now: number): void {
    if (now - (this.#used.get(id) ?? 0) < usedEveryMs) return;
    this.#used.set(id, now);
    const last_used_at = new Date(now).toISOString();
    // A request does not fail because its time could not be written down.
    this.database
      .write((queries) =>
        queries.updateTable('tokens').set({ last_used_at }).where('token_id', '=', id).execute(),
      )
      .catch(() => this.#used.delete(id));
  }
}

function isUsable({ revoked_at, expires_at }: TokenView, now: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > now);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function viewOf(row: Selectable<TokensTable>): TokenView {
  return {
    id: row.token_id,
    name: JSON.parse(row.name) as string,
    scopes: JSON.parse(row.scopes) as Scope[],
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    revoked_at: row.revoked_at,
  };
}
