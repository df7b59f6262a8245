import { resolve } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import type { CommandContext } from '../command-context.js';
import { openServerDatabase, serverDatabaseUrl } from '../serve/server-database.js';

export interface BackupOptions {
  database?: string;
  force?: true;
}

/** `lait backup`: a copy of the server's SQLite database, also while the server runs. */
export async function backupCommand(
  file: string,
  { database: given, force }: BackupOptions,
  context: CommandContext,
): Promise<void> {
  const { backupDatabase } = await import('../../runs/stores/database/sqlite-backup.js');
  const target = resolve(context.workingDirectory, file);
  const database = await openServerDatabase(given, context, { mustExist: true });
  try {
    await backupDatabase(database, target, { force: force === true });
  } finally {
    await database.close();
  }
  context.output.note(`wrote ${file}`);
}

/** `lait restore`: puts a backup in the place of the server's SQLite database. */
export async function restoreCommand(
  file: string,
  { database: given, force }: BackupOptions,
  context: CommandContext,
): Promise<void> {
  const { restoreDatabase } = await import('../../runs/stores/database/sqlite-backup.js');
  const url = await serverDatabaseUrl(given, context);
  if (/^postgres(ql)?:/.test(url))
    throw new UsageError({
      code: 'backup_sqlite_only',
      message: 'only SQLite databases are restored here: use pg_restore for PostgreSQL',
    });
  const target = url.replace(/^(file|sqlite):(\/\/)?/, '');
  const replaced = await restoreDatabase(resolve(context.workingDirectory, file), target, {
    force: force === true,
  });
  context.output.note(`restored ${target}`);
  if (replaced !== undefined) context.output.note(`what was there is in ${replaced}`);
}
