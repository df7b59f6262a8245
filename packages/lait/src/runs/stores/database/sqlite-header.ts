import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LaitError } from '../../../errors/lait-error.js';

const magic = 'SQLite format 3\0';

/** Looks before a file counts as cut off: another process may be moving pages into it. */
const looks = 5;
const betweenLooksMs = 20;

/**
 * Refuses a file that was a database and is none any more. SQLite itself would take an empty file for a new database.
 * Throws a `LaitError` (code `database_damaged`, `database_unreadable`).
 */
export async function refuseDamagedSqlite(path: string): Promise<void> {
  const damage = await sqliteDamage(path);
  if (damage === undefined) return;
  throw new LaitError({
    code: 'database_damaged',
    message: `${path} is damaged: ${damage}. It is left as it is; restore it from a backup, or move it away to begin anew`,
  });
}

/**
 * What shows at first sight that a file is no whole SQLite database: empty, something else, or cut off. Throws a
 * `LaitError` (code `database_unreadable`).
 */
export async function sqliteDamage(path: string): Promise<string | undefined> {
  for (let look = 1; ; look += 1) {
    const { header, size } = await readHeader(path);
    if (size === 0) return 'it is empty';
    if (header.subarray(0, magic.length).toString('latin1') !== magic) return 'it is no SQLite database';
    const storedPageSize = header.readUInt16BE(16);
    const expected = (storedPageSize === 1 ? 65_536 : storedPageSize) * header.readUInt32BE(28);
    // Pages that are still in the write-ahead log need not be in the file.
    if (size >= expected || existsSync(`${path}-wal`)) return undefined;
    if (look === looks) return `it has ${size} bytes of ${expected}`;
    await delay(betweenLooksMs);
  }
}

async function readHeader(path: string): Promise<{ header: Buffer; size: number }> {
  const header = Buffer.alloc(100);
  try {
    const file = await open(path, 'r');
    try {
      await file.read(header, 0, header.length, 0);
      const { size } = await file.stat();
      return { header, size };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { message } = error as { message?: string };
    throw new LaitError({ code: 'database_unreadable', message: `cannot open ${path}: ${message}` });
  }
}
