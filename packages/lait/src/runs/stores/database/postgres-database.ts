import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { LaitError } from '../../../errors/lait-error.js';
import type { Database, Queries, WriteOptions } from './database.js';
import { databaseError } from './database-errors.js';
import { migrate } from './migrate.js';
import { isConflict, isConnectionLoss } from './postgres-errors.js';
import {
  isReceiptThere,
  leaveReceipt,
  postgresNow,
  Receipts,
  removeOldReceipts,
} from './postgres-receipts.js';
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
    connectionString: withSearchPath(url, schema),
    max: maxConnections,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A process that sleeps in the middle of a transaction must not keep the others from working.
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: 60_000,
    connectionTimeoutMillis: 5000,
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
    }, repeatable);
    await removeOldReceipts(queries);
    return new PostgresDatabase(location, queries, patienceMs);
  } catch (error) {
    await opening.close();
    throw error;
  }
}

const repeatable: WriteOptions = { repeatable: true };

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly now = sql.raw<number>(postgresNow);
  readonly #receipts: Receipts;

  constructor(
    readonly location: string,
    private readonly queries: Queries,
    private readonly patienceMs: number,
  ) {
    this.#receipts = new Receipts(queries);
  }

  read<T>(operation: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#patiently(() => operation(this.queries));
  }

  write<T>(
    operation: (queries: Queries) => Promise<T>,
    { repeatable = false }: WriteOptions = {},
  ): Promise<T> {
    const receipt = repeatable ? undefined : this.#receipts.next();
    let committing: { value: T } | undefined;
    return this.#patiently(() =>
      this.queries.connection().execute(async (connection) => {
        const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text));
        try {
          if (receipt === undefined) await run('begin');
          else if (committing === undefined) await run(`begin; ${leaveReceipt(receipt)}`);
          else if (await isReceiptThere(connection, receipt)) {
            // The connection broke while the transaction was being committed, and the server had committed it.
            await run('rollback');
            return committing.value;
          }
          const value = await operation(connection);
          committing = { value };
          await run('commit');
          return value;
        } catch (error) {
          await run('rollback').catch(() => {});
          throw error;
        }
      }),
    );
  }

  async close(): Promise<void> {
    await this.queries.destroy();
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

/**
 * The URL with the schema as a parameter of the connection: it holds from the first query on. A query for it could fail
 * and leave a connection behind that nobody gives back.
 */
function withSearchPath(url: string, schema: string): string {
  const parsed = new URL(url);
  const setting = `-c search_path=${quoted(schema).replaceAll(/[\\ ]/g, '\\$&')}`;
  const given = parsed.searchParams.get('options');
  parsed.searchParams.set('options', given === null ? setting : `${given} ${setting}`);
  return parsed.href;
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
