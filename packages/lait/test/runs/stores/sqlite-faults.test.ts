import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Library from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunStore } from '../../../src/runs/run-store.js';
import { backupDatabase, restoreDatabase } from '../../../src/runs/stores/database/sqlite-backup.js';
import { openSqliteDatabase } from '../../../src/runs/stores/database/sqlite-database.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import { record } from './stores.js';

const counter = fileURLToPath(new URL('./count-worker.mjs', import.meta.url));
let directory: string;
let path: string;
const opened: RunStore[] = [];

async function open(file = path): Promise<SqlRunStore> {
  const store = new SqlRunStore(await openSqliteDatabase(file));
  opened.push(store);
  return store;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lait-sqlite-'));
  path = join(directory, 'sub', 'lait.db');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(directory, { recursive: true, force: true });
});

/** A whole database with one run, closed by the process that made it. */
async function closedDatabase(): Promise<Buffer> {
  await promisify(execFile)(process.execPath, [counter, 'SQLite', path, 'make', '1']);
  return readFileSync(path);
}

describe('the database file', () => {
  it('is for its owner alone', async () => {
    await (await open()).create(record(), []);
    for (const name of await readdir(join(directory, 'sub')))
      expect((statSync(join(directory, 'sub', name)).mode & 0o777).toString(8)).toBe('600');
  });

  const damages: [string, () => void][] = [
    ['empty', () => truncateSync(path, 0)],
    ['cut in half', () => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['overwritten', () => writeFileSync(path, 'no database '.repeat(2000))],
  ];

  it.each(damages)(
    'is refused when it is %s, and left as it is [stores.damage-refused]',
    async (_name, damage) => {
      await closedDatabase();
      damage();
      const before = readFileSync(path);
      await expect(open()).rejects.toMatchObject({
        code: 'database_damaged',
        message: expect.stringContaining(path),
      });
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  it('of a newer version is refused, and left as it is [stores.newer-refused]', async () => {
    await closedDatabase();
    const library = new Library(path);
    library.exec('update lait_schema set version = 9999');
    library.close();
    const { mtimeMs } = statSync(path);
    await expect(open()).rejects.toMatchObject({
      code: 'database_newer',
      message: expect.stringMatching(/9999/),
    });
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  it('of another program is refused', async () => {
    const other = join(directory, 'other.db');
    const library = new Library(other);
    library.exec('create table notes (text text)');
    library.close();
    await expect(open(other)).rejects.toMatchObject({ code: 'database_foreign' });
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read gives a clear error', async () => {
    await closedDatabase();
    chmodSync(path, 0);
    await expect(open()).rejects.toMatchObject({ code: 'database_unreadable' });
  });

  it('in place of a directory gives a clear error', async () => {
    await expect(open(directory)).rejects.toMatchObject({ code: 'database_unreadable' });
  });
});

describe('writing', () => {
  it('waits for a lock of another process', async () => {
    const store = await open();
    const other = new Library(path);
    other.exec('begin immediate');
    const creating = store.create(record(), []);
    await new Promise((resolve) => setTimeout(resolve, 100));
    other.exec('rollback');
    await creating;
    other.close();
    expect(await store.count()).toBe(1);
  });

  it('says so when the disk is full, loses nothing, and goes on when there is room [stores.full-disk]', async () => {
    const database = await openSqliteDatabase(path);
    const store = new SqlRunStore(database);
    opened.push(store);
    const one = record();
    await store.create(one, []);
    const journal = await store.journal(one.run_id);
    const pages = (limit: number) =>
      database.read((queries) =>
        queries.executeQuery({
          query: { kind: 'RawNode' } as never,
          sql: `pragma max_page_count = ${limit}`,
          parameters: [],
          queryId: { queryId: 'pages' },
        }),
      );
    await pages(1);
    const big = { text: 'x'.repeat(200_000) };
    await expect(journal.append({ type: 'completed', address: 'a', value: big })).rejects.toMatchObject({
      code: 'database_full',
      message: expect.stringContaining('no space'),
    });
    expect(journal.find('completed', 'a')).toBeUndefined();
    await pages(1_000_000);
    await journal.append({ type: 'completed', address: 'a', value: big });
    expect([...(await (await open()).journal(one.run_id)).entries]).toHaveLength(1);
  });

  it('of many processes loses no change [stores.processes-count]', async () => {
    await closedDatabase();
    const run = promisify(execFile);
    await Promise.all(
      ['p', 'q', 'r'].map((name) => run(process.execPath, [counter, 'SQLite', path, name, '20'])),
    );
    const store = await open();
    const [counted] = await store.list();
    expect(counted!.answers).toEqual({ p: 20, q: 20, r: 20 });
    const log = await store.events(counted!.run_id);
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it('starts once when several processes start at once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(stores.map((store) => store.create(record(), [])));
    expect(await stores[0]!.count()).toBe(5);
    expect((await readdir(join(directory, 'sub'))).filter((name) => name.includes('.new'))).toEqual([]);
  });
});

describe('backup', () => {
  it('copies a database in use, and comes back in its place [stores.backup]', async () => {
    await closedDatabase();
    const database = await openSqliteDatabase(path);
    const store = new SqlRunStore(database);
    opened.push(store);
    const kept = record();
    await store.create(kept, [{ event_type: 'run_created', payload: {} }]);
    const backup = join(directory, 'backups', 'one.db');
    await backupDatabase(database, backup);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    await expect(backupDatabase(database, backup)).rejects.toMatchObject({ code: 'backup_exists' });
    const later = record();
    await store.create(later, []);

    const restored = join(directory, 'restored', 'lait.db');
    expect(await restoreDatabase(backup, restored)).toBeUndefined();
    const again = await open(restored);
    expect((await again.read(kept.run_id))?.inputs).toEqual(kept.inputs);
    expect(await again.events(kept.run_id)).toHaveLength(1);
    expect(await again.read(later.run_id)).toBeUndefined();
    // The copy was taken while the database was open, and it still is.
    await expect(restoreDatabase(backup, path, { force: true })).rejects.toMatchObject({
      code: 'database_in_use',
    });
    expect(await store.read(later.run_id)).toBeDefined();
    await backupDatabase(database, backup, { force: true });
    expect((await readdir(join(directory, 'backups'))).sort()).toEqual(['one.db']);
  });

  it('keeps the database that it takes the place of, and refuses what is no backup', async () => {
    const backup = await closedBackup();
    const before = readFileSync(path);
    await expect(restoreDatabase(backup, path)).rejects.toMatchObject({ code: 'restore_exists' });
    const replaced = await restoreDatabase(backup, path, { force: true });
    expect(readFileSync(replaced!).subarray(100).equals(before.subarray(100))).toBe(true);
    const bad = join(directory, 'bad.db');
    const pages = readFileSync(backup);
    const refused: [Uint8Array, string][] = [
      [Buffer.from('junk'), 'it is no SQLite database'],
      [Buffer.alloc(0), 'it is empty'],
      [pages.subarray(0, 5000), 'it has 5000 bytes of'],
      [Buffer.concat([pages.subarray(0, 100), Buffer.alloc(pages.length - 100, 7)]), 'it is damaged'],
    ];
    for (const [bytes, reason] of refused) {
      writeFileSync(bad, bytes);
      const message = expect.stringMatching(`^${bad} cannot be restored: ${reason}.*; nothing was changed$`);
      await expect(restoreDatabase(bad, path, { force: true })).rejects.toMatchObject({
        code: 'backup_damaged',
        message,
      });
    }
    expect(await (await open()).count()).toBe(1);
  });

  it('takes the place of a damaged database, and none of its log', async () => {
    const backup = await closedBackup();
    writeFileSync(path, 'damaged, and no database any more');
    writeFileSync(`${path}-wal`, 'the log of another database');
    const replaced = await restoreDatabase(backup, path, { force: true });
    expect(readFileSync(replaced!, 'utf8')).toMatch(/^damaged/);
    expect(readFileSync(`${replaced}-wal`, 'utf8')).toMatch(/^the log/);
    expect(await (await open()).count()).toBe(1);
  });
});

/**
 * A backup of a database that no process uses any more. It is taken from a copy: statements that were prepared keep a
 * connection open behind its close.
 */
async function closedBackup(): Promise<string> {
  await closedDatabase();
  const copy = join(directory, 'copy.db');
  copyFileSync(path, copy);
  const backup = join(directory, 'one.db');
  const database = await openSqliteDatabase(copy);
  await backupDatabase(database, backup);
  await database.close();
  return backup;
}
