import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { LaitError } from '../../../errors/lait-error.js';
import type { Database, Queries } from './database.js';
import { databaseError } from './database-errors.js';
import { migrate } from './migrate.js';
import { isConflict, isConnectionLoss } from './postgres-errors.js';
import type { Tables } from './tables.js';

const openingPatienceMs = 5000;

export interface PostgresOptions {
  /** The schema that holds the tables; made when it is missing. Default `lait`. */
  schema?: string;
  /** Default 10. */
  maxConnections?: number;
  /** How long a lost server is waited for, in milliseconds. Default 30,000. */
  patienceMs?: number;
}

/**
 * Opens a PostgreSQL database by its URL and brings its schema to this version. Throws a `LaitError`:
 * `database_unreachable`, `database_newer`.
 */
export async function openPostgresDatabase(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { schema = 'lait', maxConnections = 10, patienceMs = 30_000 } = options;
  const location = locationOf(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    application_name: 'lait',
    types: { getTypeParser },
  });
  // A connection that breaks while nobody uses it is replaced by the next use.
  pool.on('error', () => {});
  // One that breaks between two queries of a transaction fails the next query; nobody else must hear of it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const queries = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool,
      onCreateConnection: async (connection) => {
        await connection.executeQuery(CompiledQuery.raw(`set search_path to ${quoted(schema)}`));
      },
    }),
  });
  // A server that is not there at the start is more likely a wrong URL than one that restarts.
  const opening = new PostgresDatabase(location, queries, Math.min(patienceMs, openingPatienceMs));
  try {
    await opening.write(async (transaction) => {
      // Of several processes that start at once, one makes the tables and the others find them.
      await sql`select pg_advisory_xact_lock(hashtext('lait schema'))`.execute(transaction);
      await sql.raw(`create schema if not exists ${quoted(schema)}`).execute(transaction);
      await migrate(transaction, location);
    });
    return new PostgresDatabase(location, queries, patienceMs);
  } catch (error) {
    await opening.close();
    throw error;
  }
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly now = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

  constructor(
    readonly location: string,
    private readonly queries: Queries,
    private readonly patienceMs: number,
  ) {}

  read<T>(operation: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#patiently(() => operation(this.queries));
  }

  write<T>(operation: (queries: Queries) => Promise<T>): Promise<T> {
    let committing: { id: string; value: T } | undefined;
    return this.#patiently(async () => {
      if (committing !== undefined) {
        // The connection broke while the transaction was being committed: the server knows what became of it.
        const { id, value } = committing;
        if (await this.#isCommitted(id)) return value;
        committing = undefined;
      }
      return this.queries.connection().execute(async (connection) => {
        const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text));
        await run('begin');
        try {
          const value = await operation(connection);
          const { rows } = await sql<{ id: string | null }>`
            select pg_current_xact_id_if_assigned()::text as id`.execute(connection);
          const id = rows[0]?.id ?? undefined;
          if (id !== undefined) committing = { id, value };
          await run('commit');
          return value;
        } catch (error) {
          if (!isConnectionLoss(error)) committing = undefined;
          await run('rollback').catch(() => {});
          throw error;
        }
      });
    });
  }

  async close(): Promise<void> {
    await this.queries.destroy();
  }

  async #isCommitted(id: string): Promise<boolean> {
    for (;;) {
      const { rows } = await sql<{ status: string | null }>`
        select pg_xact_status(${id}::xid8) as status`.execute(this.queries);
      const status = rows[0]?.status;
      if (status !== 'in progress') return status === 'committed';
      await delay(50);
    }
  }

  /** Repeats what failed because the server was away, or because another transaction came between. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const end = Date.now() + this.patienceMs;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await work();
      } catch (error) {
        const again = isConnectionLoss(error) || isConflict(error);
        if (!again) throw databaseError(error, this.location);
        if (Date.now() >= end) throw isConflict(error) ? error : unreachable(this.location, error);
        await delay(pause + Math.random() * pause);
      }
    }
  }
}

function unreachable(location: string, cause: unknown): LaitError {
  return new LaitError({
    code: 'database_unreachable',
    message: `cannot reach ${location}`,
    disposition: 'retryable',
    cause,
  });
}

/** Big integers of our tables are instants and counts: they fit a number. */
const bigInteger = 20;
function getTypeParser(type: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (type === bigInteger && format !== 'binary') return Number;
  return pg.types.getTypeParser(type, format as 'text');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The URL without user, password and parameters. */
function locationOf(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname}`;
  } catch {
    throw new LaitError({
      code: 'database_url_invalid',
      category: 'usage',
      message: 'the database URL must look like postgres://user@host:5432/name',
    });
  }
}
