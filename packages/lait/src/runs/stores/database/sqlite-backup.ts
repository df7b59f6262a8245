import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import Library from 'libsql';
import { UsageError } from '../../../errors/errors.js';
import { isLaitError, LaitError } from '../../../errors/lait-error.js';
import { unwritable } from '../../atomic-file.js';
import { databaseError } from './database-errors.js';
import { schemaVersion } from './migrate.js';
import { refuseDamagedSqlite } from './sqlite-header.js';

/**
 * Copies a database that may be in use into a new file: a state that was whole at one moment, for its owner alone. An
 * existing file is not replaced. Throws a `LaitError`: `database_unreadable`, `database_damaged`, `file_exists`,
 * `file_unwritable`.
 */
export async function backUpSqlite(path: string, to: string): Promise<void> {
  const [source, target] = [resolve(path), resolve(to)];
  await refuseDamagedSqlite(source);
  if (existsSync(target)) throw exists(target);
  const temporary = `${target}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const library = new Library(source);
    try {
      // Statements would keep the connection open behind its close.
      library.exec('pragma busy_timeout = 15000');
      library.exec(`vacuum into '${temporary.replaceAll("'", "''")}'`);
    } finally {
      library.close();
    }
    await chmod(temporary, 0o600);
    checkBackup(temporary);
    await flush(temporary);
    await link(temporary, target);
    await flush(dirname(target));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EEXIST') throw exists(target);
    throw code?.startsWith('E') === true ? unwritable(target, error) : databaseError(error, source);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Puts a backup in the place of a database that nobody uses. The backup is checked first; the database that was there is
 * kept beside it, under the name that is given back. Throws a `LaitError`: `database_damaged`, `database_newer`,
 * `database_foreign`, `database_locked`, `file_unwritable`.
 */
export async function restoreSqlite(backup: string, path: string): Promise<{ kept?: string }> {
  const [source, target] = [resolve(backup), resolve(path)];
  await refuseDamagedSqlite(source);
  const temporary = `${target}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(source, temporary);
    await chmod(temporary, 0o600);
    checkBackup(temporary, source);
    await flush(temporary);
    const kept = await setAside(target);
    await rename(temporary, target);
    await flush(dirname(target));
    return kept === undefined ? {} : { kept };
  } catch (error) {
    if (isLaitError(error)) throw error;
    throw (error as { code?: string }).code?.startsWith('E') === true
      ? unwritable(target, error)
      : databaseError(error, source);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Moves what is there away, with everything that its log still holds. A damaged one is moved as it is. */
async function setAside(target: string): Promise<string | undefined> {
  if (!existsSync(target)) return undefined;
  const kept = `${target}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  refuseInUse(target);
  await rename(target, kept);
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(target + suffix)) await rename(target + suffix, kept + suffix);
  return kept;
}

/** A process that has the database open would go on writing into the file that was moved away. */
function refuseInUse(target: string): void {
  let library: Library.Database | undefined;
  try {
    library = new Library(target);
    library.pragma('busy_timeout = 0');
    // Leaving the log needs the database for itself alone.
    const [{ journal_mode: mode }] = library.pragma('journal_mode = delete') as [{ journal_mode: string }];
    if (mode !== 'delete') throw locked(target);
  } catch (error) {
    const told = databaseError(error, target);
    if (isLaitError(told) && told.code === 'database_locked') throw locked(target);
  } finally {
    library?.close();
  }
}

function locked(target: string): LaitError {
  return new LaitError({
    code: 'database_locked',
    message: `${target} is in use: stop the server first, then restore`,
  });
}

/** Refuses what is no whole database of ours. */
function checkBackup(path: string, named = path): void {
  const library = new Library(path);
  try {
    const [check] = library.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (check?.integrity_check !== 'ok')
      throw new LaitError({
        code: 'database_damaged',
        message: `${named} is damaged: ${check?.integrity_check}`,
      });
    const tables = library.prepare("select 1 from sqlite_master where name = 'lait_schema'").all([]);
    if (tables.length === 0)
      throw new LaitError({
        code: 'database_foreign',
        message: `${named} is a database of another program; nothing was changed`,
      });
    const [row] = library.prepare('select version from lait_schema').all([]) as { version: number }[];
    if (row !== undefined && row.version > schemaVersion)
      throw new LaitError({
        code: 'database_newer',
        message: `${named} was written by a newer lait (schema ${row.version}, this one knows ${schemaVersion}): use that version; nothing was changed`,
      });
  } finally {
    library.close();
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Windows knows no handles of directories.
    if (process.platform !== 'win32') throw error;
  } finally {
    await handle.close();
  }
}

function exists(path: string): UsageError {
  return new UsageError({ code: 'file_exists', message: `${path} exists already and is not replaced` });
}
