import { type Kysely, sql } from 'kysely';
import { LaitError } from '../../../errors/lait-error.js';
import { migrations } from './migrations.js';
import type { Tables } from './tables.js';

/** The schema that this version writes and reads. */
export const schemaVersion = migrations.length;

/**
 * Brings a schema to this version. The caller holds a lock and a transaction, so that of several processes one does it
 * and the others find it done. Throws a `LaitError` (code `database_newer`).
 */
export async function migrate(queries: Kysely<Tables>, location: string): Promise<void> {
  await queries.schema
    .createTable('lait_schema')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  const { rows } = await sql<{ version: number }>`select version from lait_schema`.execute(queries);
  const found = rows[0]?.version ?? 0;
  if (found > schemaVersion) throw newer(found, location);
  if (found === schemaVersion) return;
  for (const migration of migrations.slice(found)) await migration(queries.schema, queries);
  if (rows.length === 0)
    await sql`insert into lait_schema (version) values (${schemaVersion})`.execute(queries);
  else await sql`update lait_schema set version = ${schemaVersion}`.execute(queries);
}

function newer(found: number, location: string): LaitError {
  return new LaitError({
    code: 'database_newer',
    message: `${location} was written by a newer lait (schema ${found}, this one knows ${schemaVersion}): use that version; nothing was changed`,
    details: { schema: found, known: schemaVersion },
  });
}
