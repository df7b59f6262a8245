import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/runs/stores/database/database.js';
import { insertNew } from '../../../src/runs/stores/database/insert-new.js';
import { prepared } from '../../../src/runs/stores/database/prepared.js';
import { openSqliteDatabase } from '../../../src/runs/stores/database/sqlite-database.js';
import { GatheredReads } from '../../../src/runs/stores/gathered-reads.js';

const opened: (() => Promise<void>)[] = [];

async function open(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'lait-prepared-'));
  const database = await openSqliteDatabase(join(directory, 'lait.db'));
  opened.push(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return database;
}

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

describe('a prepared query', () => {
  it('is built once for each database, and takes the values of each call', async () => {
    let built = 0;
    const add = insertNew('queue_turns', ['workflow']);
    const find = prepared((queries, at: { workflow: string; from: number }) => {
      built += 1;
      return queries
        .selectFrom('queue_turns')
        .select('turn')
        .where('workflow', '=', at.workflow)
        .where('turn', '>=', at.from);
    });
    for (const database of [await open(), await open()]) {
      await database.write((queries) =>
        add(queries, [
          { workflow: '毎日 🗓️', turn: 1 },
          { workflow: "it's", turn: 2 },
        ]),
      );
      const turns = async (workflow: string, from: number) =>
        (await database.read((queries) => find(queries, { workflow, from }))).rows.map(({ turn }) => turn);
      expect(await turns('毎日 🗓️', 0)).toEqual([1]);
      expect(await turns("it's", 0)).toEqual([2]);
      expect(await turns("it's", 3)).toEqual([]);
    }
    expect(built).toBe(2);
  });

  it('inserts any number of rows and leaves out what is there', async () => {
    const database = await open();
    const add = insertNew('queue_turns', ['workflow']);
    const rows = (count: number) =>
      Array.from({ length: count }, (_, turn) => ({ workflow: `w${turn}`, turn }));
    const inserted: number[] = [];
    for (const count of [0, 1, 3, 3, 250])
      inserted.push(await database.write((queries) => add(queries, rows(count))));
    expect(inserted).toEqual([0, 1, 2, 0, 247]);
  });
});

describe('reads that are asked for in one turn', () => {
  it('are one, and the next turn reads anew', async () => {
    const loads: string[][] = [];
    const reads = new GatheredReads(async (keys) => {
      loads.push([...keys]);
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, `${key}${loads.length}`]));
    });
    const ask = (keys: string[]) => Promise.all(keys.map((key) => reads.get(key)));
    expect(await ask(['a', 'b', 'a', 'none'])).toEqual(['a1', 'b1', 'a1', undefined]);
    expect(await ask(['a'])).toEqual(['a2']);
    expect(loads).toEqual([['a', 'b', 'none'], ['a']]);
  });

  it('fail together, and only they', async () => {
    let failing = true;
    const reads = new GatheredReads(async (keys) => {
      if (failing) throw new Error('away');
      return new Map(keys.map((key) => [key, key]));
    });
    const asked = await Promise.allSettled([reads.get('a'), reads.get('b')]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    expect(await reads.get('a')).toBe('a');
  });
});

describe('writes that share a transaction', () => {
  it('are all done but the one that fails, which is told', async () => {
    const database = await open();
    const add = insertNew('queue_turns', ['workflow']);
    const wrote = await Promise.allSettled(
      Array.from({ length: 20 }, (_, turn) =>
        database.write(async (queries) => {
          await add(queries, [{ workflow: `w${turn}`, turn }]);
          if (turn === 7) throw new Error('will not');
          return turn;
        }),
      ),
    );
    expect(wrote.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { message: 'will not' } },
    ]);
    const rows = await database.read((queries) => queries.selectFrom('queue_turns').select('turn').execute());
    expect(rows.map(({ turn }) => turn).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, turn) => turn).filter((turn) => turn !== 7),
    );
  });
});
