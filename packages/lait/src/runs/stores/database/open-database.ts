import { fileURLToPath } from 'node:url';
import type { Database } from './database.js';

/**
 * Opens the database of a URL: `postgres://…` or `postgresql://…`, `file:…`, or the path of a SQLite file. Libraries are
 * loaded here and not before. Throws what the engines' own functions throw.
 */
export async function openDatabase(url: string): Promise<Database> {
  if (/^postgres(ql)?:/.test(url)) {
    const { openPostgresDatabase } = await import('./postgres-database.js');
    return openPostgresDatabase(url);
  }
  const { openSqliteDatabase } = await import('./sqlite-database.js');
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.replace(/^(file|sqlite):/, '');
  return openSqliteDatabase(path);
}
