import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import Library from 'libsql';
import { UsageError } from '../../../errors/errors.js';
import { isLaitError } from '../../../errors/lait-error.js';
import { makeDirectory } from '../../../files/make-directory.js';
import { unwritable } from '../../../files/unwritable.js';
import type { Database } from './database.js';
import { databaseError } from './database-errors.js';
import { openSqliteDatabase } from './sqlite-database.js';
import { sqliteDamage } from './sqlite-header.js';

export interface BackupOptions {
  /** Replaces a file that is there. Default false. */
  force?: boolean;
}

/**
 * Writes a copy of a SQLite database as it is now, while it is used: for its owner alone, whole or not there. Throws a
 * `UsageError` (`backup_exists`, `backup_sqlite_only`) or a `LaitError` (`file_unwritable`).
 */
export async function backupDatabase(
  database: Database,
  target: string,
  { force = false }: BackupOptions = {},
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new UsageError({
      code: 'backup_sqlite_only',
      message: 'only SQLite databases are backed up here: use pg_dump for PostgreSQL',
    });
  const exists = () =>
    new UsageError({ code: 'backup_exists', message: `${target} exists; --force replaces it` });
  if (existsSync(target) && !force) throw exists();
  const partial = partialOf(target);
  try {
    await makeDirectory(dirname(target), 0o700);
    await database.read((queries) => sql`vacuum into ${partial}`.execute(queries));
    await chmod(partial, 0o600);
    await flush(partial);
    // A link never replaces what another process has put there meanwhile.
    if (force) await rename(partial, target);
    else await link(partial, target);
    await flush(dirname(target));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw exists();
    throw isSystemError(error) ? unwritable(target, error) : error;
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Puts a backup in the place of a SQLite database that nobody uses, be it damaged or whole. The backup is checked
 * first, and brought to this version's schema. What was there is kept beside it; gives its new path. Throws a
 * `UsageError` (`backup_missing`, `backup_damaged`, `restore_exists`, `database_in_use`), a `LaitError`
 * (`file_unwritable`), or what opening a database throws.
 */
export async function restoreDatabase(
  backup: string,
  target: string,
  { force = false }: BackupOptions = {},
): Promise<string | undefined> {
  if (!existsSync(backup))
    throw new UsageError({ code: 'backup_missing', message: `there is no file ${backup}` });
  if (existsSync(target) && !force)
    throw new UsageError({
      code: 'restore_exists',
      message: `${target} exists; --force puts the backup in its place and keeps it beside`,
    });
  const unusable = (reason: string) =>
    new UsageError({
      code: 'backup_damaged',
      message: `${backup} cannot be restored: ${reason}; nothing was changed`,
    });
  const damage = await sqliteDamage(backup);
  if (damage !== undefined) throw unusable(damage);
  const partial = partialOf(target);
  try {
    await makeDirectory(dirname(target), 0o700);
    await copyFile(backup, partial);
    await chmod(partial, 0o600);
    await checkWhole(partial, unusable);
    const replaced = await setAside(target);
    await rename(partial, target);
    await flush(dirname(target));
    return replaced;
  } catch (error) {
    throw isSystemError(error) ? unwritable(target, error) : error;
  } finally {
    for (const end of ['', ...besides]) await rm(partial + end, { force: true });
  }
}

/** What SQLite keeps beside a database: a stale log would be played back into another one. */
const besides = ['-wal', '-shm'];

function partialOf(target: string): string {
  return `${target}.${randomUUID().slice(0, 8)}.partial`;
}

/** Opens the copy as a server would, and has every page of it read. */
async function checkWhole(path: string, unusable: (reason: string) => UsageError): Promise<void> {
  const database = await openSqliteDatabase(path).catch((error: unknown) => {
    throw isLaitError(error) && error.code === 'database_damaged' ? unusable('it is damaged') : error;
  });
  try {
    const { rows } = await database.read((queries) =>
      sql<{ integrity_check: string }>`pragma integrity_check`.execute(queries),
    );
    const problem = rows.map((row) => row.integrity_check).find((text) => text !== 'ok');
    if (problem !== undefined) throw unusable(`it is damaged: ${problem}`);
    // Everything into the one file that is moved.
    await database.read((queries) => sql`pragma wal_checkpoint(truncate)`.execute(queries));
  } finally {
    await database.close();
  }
  await flush(path);
}

/** Moves what is there away, with everything that its log still holds. A damaged one is moved as it is. */
async function setAside(target: string): Promise<string | undefined> {
  const replaced = `${target}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const exists = existsSync(target);
  if (exists) {
    refuseInUse(target);
    await rename(target, replaced);
  }
  for (const end of besides) if (existsSync(target + end)) await rename(target + end, replaced + end);
  return exists ? replaced : undefined;
}

/** A process that has the database open would go on writing into the file that was moved away. */
function refuseInUse(path: string): void {
  const inUse = (cause?: unknown) =>
    new UsageError({ code: 'database_in_use', message: `${path} is in use: stop the server first`, cause });
  let library: Library.Database | undefined;
  let mode: string | undefined;
  try {
    library = new Library(path);
    library.pragma('busy_timeout = 200');
    // Only a database that no process has open can leave its write-ahead log.
    [{ journal_mode: mode }] = library.pragma('journal_mode = delete') as [{ journal_mode: string }];
  } catch (error) {
    const told = databaseError(error, path);
    // A damaged one is what a backup is for.
    if (isLaitError(told) && told.code === 'database_locked') throw inUse(error);
    return;
  } finally {
    library?.close();
  }
  if (mode !== 'delete') throw inUse();
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    // Windows knows no handles of directories.
    if (process.platform !== 'win32') throw error;
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}

function isSystemError(error: unknown): boolean {
  return !isLaitError(error) && /^E[A-Z]+$/.test(codeOf(error) ?? '');
}
