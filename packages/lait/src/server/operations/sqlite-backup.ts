import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { UsageError } from '../../errors/errors.js';
import type { Database } from '../../runs/stores/database/database.js';
import { openSqliteDatabase } from '../../runs/stores/database/sqlite-database.js';

/**
 * Writes a copy of a SQLite database as it is now, while it is used. The copy is whole or not there. Throws a
 * `UsageError`: `backup_exists`, `backup_sqlite_only`.
 */
export async function backupDatabase(
  database: Database,
  target: string,
  { force = false } = {},
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new UsageError({
      code: 'backup_sqlite_only',
      message: 'only SQLite databases are backed up here: use pg_dump for PostgreSQL',
    });
  if (existsSync(target) && !force)
    throw new UsageError({ code: 'backup_exists', message: `${target} exists; --force replaces it` });
  const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
  try {
    await database.read((queries) => sql`vacuum into ${partial}`.execute(queries));
    await chmod(partial, 0o600);
    await flush(partial);
    await rename(partial, target);
    await flush(dirname(target));
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Puts a backup in the place of a SQLite database that nobody uses. What was there is kept beside it; gives its new path.
 * The backup is checked first, and brought to this version's schema. Throws a `UsageError` (`restore_exists`,
 * `database_in_use`), or what opening a database throws.
 */
export async function restoreDatabase(
  backup: string,
  target: string,
  { force = false } = {},
): Promise<string | undefined> {
  if (!existsSync(backup))
    throw new UsageError({ code: 'backup_missing', message: `there is no file ${backup}` });
  const exists = existsSync(target);
  if (exists && !force)
    throw new UsageError({
      code: 'restore_exists',
      message: `${target} exists; --force puts the backup in its place and keeps it beside`,
    });
  const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
  try {
    await copyFile(backup, partial);
    await chmod(partial, 0o600);
    await checkWhole(partial);
    let replaced: string | undefined;
    if (exists) {
      await requireUnused(target);
      replaced = `${target}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
      await rename(target, replaced);
    }
    await rename(partial, target);
    await flush(dirname(target));
    return replaced;
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(partial + end, { force: true });
  }
}

/** Opens the copy as a server would, and has every page of it read. */
async function checkWhole(path: string): Promise<void> {
  const database = await openSqliteDatabase(path);
  try {
    const { rows } = await database.read((queries) =>
      sql<{ integrity_check: string }>`pragma integrity_check`.execute(queries),
    );
    const problem = rows.map((row) => row.integrity_check).find((text) => text !== 'ok');
    if (problem !== undefined)
      throw new UsageError({ code: 'backup_damaged', message: `the backup is damaged: ${problem}` });
    // Everything into the one file that is moved.
    await database.read((queries) => sql`pragma wal_checkpoint(truncate)`.execute(queries));
  } finally {
    await database.close();
  }
  await flush(path);
}

/** Only a database that no process has open can leave its write-ahead log. */
async function requireUnused(path: string): Promise<void> {
  const { default: Library } = await import('libsql');
  const library = new Library(path);
  try {
    library.pragma('busy_timeout = 200');
    library.pragma('journal_mode = DELETE');
  } catch (cause) {
    throw new UsageError({
      code: 'database_in_use',
      message: `${path} is in use: stop the server first`,
      cause,
    });
  } finally {
    library.close();
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
