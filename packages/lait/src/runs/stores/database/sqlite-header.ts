import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { LaitError } from '../../../errors/lait-error.js';

const magic = 'SQLite format 3\0';

/**
 * Refuses a file that was a database and is none any more: empty, overwritten, or cut off. SQLite itself would take an
 * empty file for a new database. Throws a `LaitError` (code `database_damaged`, `database_unreadable`).
 */
export async function refuseDamagedSqlite(path: string): Promise<void> {
  const header = Buffer.alloc(100);
  let size: number;
  try {
    const file = await open(path, 'r');
    try {
      ({ size } = await file.stat());
      await file.read(header, 0, header.length, 0);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { message } = error as { message?: string };
    throw new LaitError({ code: 'database_unreadable', message: `cannot open ${path}: ${message}` });
  }
  if (size === 0) throw damaged(path, 'it is empty');
  if (header.subarray(0, magic.length).toString('latin1') !== magic)
    throw damaged(path, 'it is no SQLite database');
  // Pages that are still in the write-ahead log need not be in the file.
  if (existsSync(`${path}-wal`)) return;
  const storedPageSize = header.readUInt16BE(16);
  const expected = (storedPageSize === 1 ? 65_536 : storedPageSize) * header.readUInt32BE(28);
  if (size < expected) throw damaged(path, `it has ${size} bytes of ${expected}`);
}

function damaged(path: string, reason: string): LaitError {
  return new LaitError({
    code: 'database_damaged',
    message: `${path} is damaged: ${reason}. It is left as it is; restore it from a backup, or move it away to begin anew`,
  });
}
