import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Kysely, SqliteDialect, sql } from 'kysely';
import Library from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { schemaVersion } from '../../../src/runs/stores/database/migrate.js';
import { migrations } from '../../../src/runs/stores/database/migrations.js';
import { openDatabase } from '../../../src/runs/stores/database/open-database.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { record } from './stores.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lait-older-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A database as a version wrote it that knew only so many steps of the schema. */
async function older(file: string, version: number, fill: string[] = []): Promise<void> {
  const queries = new Kysely<unknown>({
    dialect: new SqliteDialect({ database: new Library(file) as never }),
  });
  await sql`create table lait_schema (version integer not null)`.execute(queries);
  await sql`insert into lait_schema (version) values (${version})`.execute(queries);
  for (const migration of migrations.slice(0, version)) await migration(queries.schema, queries);
  for (const statement of fill) await sql.raw(statement).execute(queries);
  await queries.destroy();
}

it.each(Array.from({ length: schemaVersion }, (_, version) => version + 1))(
  '[stores.upgraded] a database of schema %i is brought forward',
  async (version) => {
    const file = join(directory, 'lait.db');
    await older(file, version);
    const store = new SqlRunStore(await openDatabase(file));
    const { run_id } = record();
    await store.create(record({ run_id }), []);
    expect((await store.read(run_id))?.run_id).toBe(run_id);
    await store.close();
  },
);

it('[stores.upgraded] what it holds is kept', async () => {
  const file = join(directory, 'lait.db');
  await older(file, 5, [
    `insert into dynamic_runs (run_id, workflow, state, created_at, updated_at) values ('r', 'w', 'started', 't', 't')`,
  ]);
  const database = await openDatabase(file);
  const [row] = await database.read((queries) => queries.selectFrom('dynamic_runs').selectAll().execute());
  expect(row).toMatchObject({ run_id: 'r', state: 'started', current_run_id: 'r' });
  await database.close();
});
