import type { RunStore } from './run-store.js';
import { StoredSecrets } from './stored-secrets.js';
import type { SecretCodec } from './stores/value-codec.js';

export interface OpenRunStoreOptions {
  /** The directory of the files. Default `.lait` below the working directory of the process. */
  directory?: string;
  /** A database instead of files: the path of a SQLite file, `file:…`, or `postgres://…`. */
  database?: string;
  /** Keeps secrets out of the store. Default: variables of the process are stored by their names. */
  secrets?: SecretCodec;
}

/**
 * Opens the place where runs are kept: files, or a database. Close it at the end. Several processes may use it at once.
 * Throws a `LaitError` when the database cannot be opened or belongs to a newer version.
 */
export async function openRunStore({
  directory = '.lait',
  database,
  secrets = new StoredSecrets(process.env),
}: OpenRunStoreOptions = {}): Promise<RunStore> {
  if (database === undefined) {
    const { FileRunStore } = await import('./stores/files/file-run-store.js');
    return new FileRunStore(directory, { secrets });
  }
  const { openDatabase } = await import('./stores/database/open-database.js');
  const { SqlRunStore } = await import('./stores/sql/sql-run-store.js');
  return new SqlRunStore(await openDatabase(database), { secrets });
}
