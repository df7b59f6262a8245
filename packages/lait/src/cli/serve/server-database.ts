import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import { makeDirectory } from '../../files/make-directory.js';
import type { Database } from '../../runs/stores/database/database.js';
import { expandVariables } from '../../values/expand-variables.js';
import type { CommandContext } from '../command-context.js';

/** The URL or path of the database: `--database`, else `server.database` of the configuration, else `.lait/lait.db`. */
export async function serverDatabaseUrl(given: string | undefined, context: CommandContext): Promise<string> {
  const { workingDirectory } = context;
  const configuration = await context.configuration();
  const configured = configuration.values.server?.database;
  const url =
    given ??
    (configured === undefined
      ? undefined
      : expandVariables(configured, await context.variables(), 'server.database'));
  if (url === undefined) return join(workingDirectory, '.lait', 'lait.db');
  return /^(postgres(ql)?|file|sqlite):/.test(url) ? url : resolve(workingDirectory, url);
}

/**
 * Opens the server's database; a new file is made with its directory, unless it must exist: then it throws a
 * `UsageError` (code `database_missing`).
 */
export async function openServerDatabase(
  given: string | undefined,
  context: CommandContext,
  { mustExist = false } = {},
): Promise<Database> {
  const url = await serverDatabaseUrl(given, context);
  const { openDatabase } = await import('../../runs/stores/database/open-database.js');
  const isPath = !/^(postgres(ql)?|file|sqlite):/.test(url);
  if (isPath && mustExist && !existsSync(url))
    throw new UsageError({
      code: 'database_missing',
      message: `there is no database ${url}; see --database`,
    });
  if (isPath) await makeDirectory(dirname(url), 0o700);
  return openDatabase(url);
}
