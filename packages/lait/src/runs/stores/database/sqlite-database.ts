import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, type SqliteDatabase as KyselyConnection, SqliteDialect, sql } from 'kysely';
import Library from 'libsql';
import { LaitError } from '../../../errors/lait-error.js';
import { makeDirectory } from '../../../files/make-directory.js';
import { unwritable } from '../../../files/unwritable.js';
import type { Database, Queries } from './database.js';
import { databaseError, isBusy } from './database-errors.js';
import { GroupedWrites } from './grouped-writes.js';
import { migrate } from './migrate.js';
import { refuseDamagedSqlite } from './sqlite-header.js';
import type { Tables } from './tables.js';

/** How long a lock of another process is waited for, in milliseconds. */
const patienceMs = 15_000;
const keptStatements = 200;

/**
 * Opens the SQLite database of a file, making it when it is missing: for its owner alone, with a write-ahead log, and
 * flushed with every transaction. Throws a `LaitError`: `database_newer`, `database_damaged` (also for an empty file:
 * it is never taken for a new one), `database_locked`, `database_unreadable`, `file_unwritable`.
 */
export async function openSqliteDatabase(path: string): Promise<Database> {
  const location = resolve(path);
  try {
    if (existsSync(location)) await refuseDamagedSqlite(location);
    else await createFile(location);
    const library = new Library(location);
    const queries = connect(library);
    try {
      await whenFree(async () => {
        library.pragma('journal_mode = WAL');
        library.pragma('synchronous = FULL');
        library.pragma('foreign_keys = ON');
        library.pragma('busy_timeout = 0');
        await upgrade(queries, location);
      });
    } catch (error) {
      library.close();
      throw error;
    }
    return new SqliteDatabase(location, queries);
  } catch (error) {
    throw databaseError(error, location);
  }
}

class SqliteDatabase implements Database {
  readonly engine = 'sqlite';
  readonly now = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
  readonly #writes: GroupedWrites;

  constructor(
    readonly location: string,
    private readonly queries: Queries,
  ) {
    this.#writes = new GroupedWrites(queries, location);
  }

  async read<T>(operation: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      // Readers wait for nobody but a process that repairs what another one left.
      return await whenFree(() => operation(this.queries));
    } catch (error) {
      throw databaseError(error, this.location);
    }
  }

  write<T>(operation: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#writes.write(operation);
  }

  async close(): Promise<void> {
    await this.#writes.settled();
    await this.queries.destroy();
  }
}

/** A new file appears whole, with its tables: an empty one is damage. */
async function createFile(location: string): Promise<void> {
  const temporary = `${location}.${randomUUID()}.new`;
  try {
    await makeDirectory(dirname(location), 0o700);
    await (await open(temporary, 'wx', 0o600)).close();
    const queries = connect(new Library(temporary));
    await upgrade(queries, location);
    await queries.destroy();
    // Of several processes one gives the file its name; the others use that one.
    await link(temporary, location);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'EEXIST') throw code?.startsWith('E') === true ? unwritable(location, error) : error;
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}-journal`, { force: true });
  }
}

function upgrade(queries: Queries, location: string): Promise<void> {
  return queries.connection().execute(async (connection) => {
    const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text));
    await run('begin immediate');
    try {
      await refuseForeign(connection, location);
      await migrate(connection, location);
      await run('commit');
    } catch (error) {
      await run('rollback').catch(() => {});
      throw error;
    }
  });
}

async function refuseForeign(queries: Queries, location: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
    queries,
  );
  if (rows.length === 0 || rows.some(({ name }) => name === 'lait_schema')) return;
  throw new LaitError({
    code: 'database_foreign',
    message: `${location} is a database of another program; it is left as it is`,
  });
}

async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || Date.now() >= end) throw error;
      await delay(10 + Math.random() * 40);
    }
  }
}

/** A statement of which is known whether it gives rows: asking the library each time costs as much as a small query. */
interface KeptStatement {
  reader: boolean;
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): Library.RunResult;
}

/** The query layer over a connection. Statements are kept: preparing one costs as much as running it. */
function connect(library: Library.Database): Queries {
  const statements = new Map<string, KeptStatement>();
  const database: KyselyConnection = {
    prepare(text) {
      let statement = statements.get(text);
      if (statement === undefined) {
        statement = keptStatement(library.prepare(text));
        if (statements.size >= keptStatements) statements.delete(statements.keys().next().value!);
      } else statements.delete(text);
      statements.set(text, statement);
      return statement as ReturnType<KyselyConnection['prepare']>;
    },
    close() {
      statements.clear();
      library.close();
    },
  };
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
}

function keptStatement(statement: Library.Statement): KeptStatement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
  };
}
