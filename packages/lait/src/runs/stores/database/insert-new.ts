import type { Insertable, InsertQueryBuilder, InsertResult } from 'kysely';
import type { Queries } from './database.js';
import { prepared } from './prepared.js';
import type { Tables } from './tables.js';

/** Rows of one statement: both databases limit the parameters of a statement. */
const rowsPerStatement = 100;

/** The items in portions that fit into one statement. */
export function* parts<T>(items: readonly T[]): Iterable<T[]> {
  for (let index = 0; index < items.length; index += rowsPerStatement)
    yield items.slice(index, index + rowsPerStatement);
}

/**
 * An insert into a table that leaves out rows whose `key` is there. Every row names the same columns. The statement is
 * built once for each number of rows. Gives how many were inserted.
 */
export function insertNew<T extends keyof Tables>(
  table: T,
  key: readonly (keyof Tables[T] & string)[],
): (queries: Queries, rows: readonly Insertable<Tables[T]>[]) => Promise<number> {
  const bySize = new Map<number, ReturnType<typeof prepared<unknown[], InsertResult>>>();
  const statement = (size: number, columns: readonly string[]) =>
    prepared<unknown[], InsertResult>((queries, slots) => {
      const rows = Array.from({ length: size }, (_, row) =>
        Object.fromEntries(columns.map((name, column) => [name, slots[row * columns.length + column]])),
      );
      const insert = queries.insertInto(table) as unknown as InsertQueryBuilder<Tables, T, InsertResult>;
      return insert
        .values(rows as unknown as Insertable<Tables[T]>[])
        .onConflict((conflict) => conflict.columns(key as never).doNothing());
    });
  return async (queries, rows) => {
    let inserted = 0;
    for (const part of parts(rows)) {
      const columns = Object.keys(part[0]!);
      const insert = bySize.get(part.length) ?? statement(part.length, columns);
      bySize.set(part.length, insert);
      const values = part.flatMap((row) => columns.map((name) => row[name as keyof typeof row]));
      inserted += Number((await insert(queries, values)).numAffectedRows ?? 0n);
    }
    return inserted;
  };
}
