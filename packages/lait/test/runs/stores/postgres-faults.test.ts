import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRun } from '../../../src/runs/run-changes.js';
import { openPostgresDatabase } from '../../../src/runs/stores/database/postgres-database.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';
import { record } from './stores.js';

describe.skipIf(postgresAbsent !== undefined)(`PostgreSQL${postgresAbsent ?? ''}`, () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  }, 60_000);
  afterAll(() => cluster.stop());

  const fresh = () => `lait_${randomUUID().slice(0, 8)}`;

  it('may be restarted in the middle: every write happens exactly once [stores.server-restart]', async () => {
    const schema = fresh();
    const store = new SqlRunStore(await openPostgresDatabase(cluster.url, { schema }));
    const { run_id } = record();
    await store.create(record({ run_id }), []);
    const journal = await store.journal(run_id);
    const writers = ['p', 'q', 'r'].map(async (name) => {
      for (let count = 1; count <= 40; count += 1) {
        await journal.append({ type: 'completed', address: `${name} ${count}`, value: count });
        await store.append(run_id, [{ event_type: 'counted', payload: { name, count } }]);
        await changeRun(store, run_id, ({ answers }) => ({
          change: { answers: { ...answers, [name]: Number(answers[name] ?? 0) + 1 } },
        }));
      }
    });
    const restarts = (async () => {
      for (let restart = 0; restart < 3; restart += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        await cluster.restart();
      }
    })();
    await Promise.all([...writers, restarts]);
    expect((await store.read(run_id))?.answers).toEqual({ p: 40, q: 40, r: 40 });
    const log = await store.events(run_id);
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(new Set(log.map(({ payload }) => `${payload.name} ${payload.count}`)).size).toBe(120);
    expect([...(await store.journal(run_id)).entries]).toHaveLength(120);
    await store.close();
  }, 120_000);

  it('starts once when several processes start at once', async () => {
    const schema = `lait "ä 🙂" ${fresh()}`;
    const databases = await Promise.all(
      Array.from({ length: 5 }, () => openPostgresDatabase(cluster.url, { schema, maxConnections: 2 })),
    );
    for (const database of databases) await new SqlRunStore(database).create(record(), []);
    expect(await new SqlRunStore(databases[0]!).count()).toBe(5);
    for (const database of databases) await database.close();
  });

  it('of a newer version is refused, and left as it is', async () => {
    const schema = fresh();
    const database = await openPostgresDatabase(cluster.url, { schema });
    await database.write((queries) => sql`update lait_schema set version = 9999`.execute(queries));
    await database.close();
    await expect(openPostgresDatabase(cluster.url, { schema })).rejects.toMatchObject({
      code: 'database_newer',
    });
  });

  it('that is not there, or refuses, gives a clear error without the password', async () => {
    const away = new URL(cluster.url);
    away.port = '1';
    away.password = 's3cr3t';
    const unreachable = openPostgresDatabase(away.href, { patienceMs: 50 });
    await expect(unreachable).rejects.toMatchObject({ code: 'database_unreachable' });
    await expect(unreachable).rejects.not.toThrow(/s3cr3t/);
    const unknown = new URL(cluster.url);
    unknown.pathname = '/nothing';
    await expect(openPostgresDatabase(unknown.href)).rejects.toMatchObject({ code: 'database_refused' });
    await expect(openPostgresDatabase('nonsense')).rejects.toMatchObject({
      code: 'database_url_invalid',
    });
  });

  it('undoes a write that fails and keeps those beside it', async () => {
    const store = new SqlRunStore(await openPostgresDatabase(cluster.url, { schema: fresh() }));
    const one = record();
    await store.create(one, []);
    const results = await Promise.allSettled([
      store.create(one, [{ event_type: 'lost', payload: {} }]),
      store.append(one.run_id, [{ event_type: 'kept', payload: {} }]),
      store.create(record(), []),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(await store.events(one.run_id)).toMatchObject([{ seq: 1, event_type: 'kept' }]);
    await store.close();
  });
});
