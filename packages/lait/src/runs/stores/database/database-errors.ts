import { isLaitError, LaitError } from '../../../errors/lait-error.js';

interface Reason {
  code: string;
  says(location: string): string;
}

const locked: Reason = {
  code: 'database_locked',
  says: (location) => `${location} is locked by another process; try again when it has ended`,
};
const full: Reason = {
  code: 'database_full',
  says: (location) => `cannot write ${location}: no space is left on the disk`,
};
const damaged: Reason = {
  code: 'database_damaged',
  says: (location) =>
    `${location} is damaged or no database. It is left as it is; restore it from a backup, or move it away to begin anew`,
};
const unwritable: Reason = {
  code: 'database_unwritable',
  says: (location) => `cannot write ${location}: permission denied or read-only`,
};
const unopened: Reason = {
  code: 'database_unreadable',
  says: (location) => `cannot open ${location}: it is missing, no file, or permission is denied`,
};

/** By the primary code of SQLite's result codes. */
const reasons: ReadonlyMap<number, Reason> = new Map([
  [5, locked],
  [6, locked],
  [8, unwritable],
  [11, damaged],
  [13, full],
  [14, unopened],
  [26, damaged],
]);

/** True when another connection holds the lock of a SQLite database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5 || primaryCode(error) === 6;
}

function primaryCode(error: unknown): number | undefined {
  const { rawCode } = error as { rawCode?: unknown };
  return typeof rawCode === 'number' ? rawCode & 0xff : undefined;
}

/** The error of a database in our words, when there are any for it. */
export function databaseError(error: unknown, location: string): unknown {
  if (isLaitError(error)) return error;
  const sqlite = primaryCode(error);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  let reason = sqlite === undefined ? undefined : reasons.get(sqlite);
  // The library gives no result code when it cannot open a file.
  if (reason === undefined && /unable to open database file/.test(message)) reason = unopened;
  if (reason === undefined && /not a database|malformed/.test(message)) reason = damaged;
  if (code === '53100') reason = full;
  // Wrong password, no such user or database, no permission.
  if (/^(28...|3D000|42501)$/.test(code))
    return new LaitError({ code: 'database_refused', message: `${location} refuses: ${message}` });
  if (reason === undefined) return error;
  return new LaitError({
    code: reason.code,
    message: reason.says(location),
    ...(reason === locked && { disposition: 'retryable' as const }),
    cause: error,
  });
}
