import type { Kysely, RawBuilder } from 'kysely';
import type { Tables } from './tables.js';

export type Queries = Kysely<Tables>;

export interface WriteOptions {
  repeatable?: boolean;
}

/** A database that is open and has this version's tables. The query layer is the same for both engines. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** Where it is, without credentials: for messages. */
  readonly location: string;
  /** The database's clock as an expression: milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** Reads outside of a transaction. A lost connection is made again. */
  read<T>(operation: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * Runs a transaction; durable when it resolves, and done exactly once even when the connection breaks at its end. The
   * operation may run several times: what it does besides its queries must not matter. It must use the `queries` it is
   * given. Writes that arrive while others are under way share their flush. `repeatable`: doing it twice comes to the same
   * as once, which saves the proof that it was done.
   */
  write<T>(operation: (queries: Queries) => Promise<T>, options?: WriteOptions): Promise<T>;
  close(): Promise<void>;
}
