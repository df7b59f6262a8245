import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import type { Queries } from './database.js';

/** The server's clock as an expression: milliseconds since 1970. */
export const postgresNow = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

/** Nobody asks for a receipt after so long: a write that could not be done for this long has failed. */
const lifeMs = 60 * 60 * 1000;
/** So many receipts a process leaves until it looks for old ones. */
const betweenLooks = 5000;

/**
 * Receipts of transactions. A transaction leaves one, and whoever lost the connection while it was being committed finds
 * out by it whether it was.
 */
export class Receipts {
  #left = 0;

  constructor(private readonly queries: Queries) {}

  /** A new receipt. Every now and then old ones are removed, in the background. */
  next(): string {
    this.#left += 1;
    // What cannot be removed now can be later.
    if (this.#left % betweenLooks === 0) removeOldReceipts(this.queries).catch(() => {});
    return randomUUID();
  }
}

/** The statement that leaves a new receipt; it goes with the beginning of its transaction. */
export function leaveReceipt(receipt: string): string {
  return `insert into write_receipts (receipt, written_at) values ('${receipt}', ${postgresNow})`;
}

/**
 * Begins a transaction and leaves the receipt in it, unless it is there: then an earlier attempt was committed. Waits for
 * an earlier attempt that the server has not ended yet.
 */
export async function isReceiptThere(queries: Queries, receipt: string): Promise<boolean> {
  await queries.executeQuery(CompiledQuery.raw('begin'));
  const { numInsertedOrUpdatedRows } = await queries
    .insertInto('write_receipts')
    .values({ receipt, written_at: sql.raw<number>(postgresNow) })
    .onConflict((conflict) => conflict.column('receipt').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 1n;
}

export async function removeOldReceipts(queries: Queries): Promise<void> {
  await queries
    .deleteFrom('write_receipts')
    .where('written_at', '<', sql.raw<number>(`${postgresNow} - ${lifeMs}`))
    .execute();
}
