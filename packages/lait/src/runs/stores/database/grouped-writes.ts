import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { faultPoint } from '../../../engine/fault-point.js';
import type { Queries } from './database.js';
import { databaseError, isBusy } from './database-errors.js';

interface Waiting {
  run(queries: Queries): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** As many writes share one transaction at most: readers wait no longer than for these. */
const largestGroup = 200;
/** How long a lock of another process is waited for, in milliseconds. */
const patienceMs = 15_000;

/**
 * Writes of a database that takes one writer at a time. Those that wait when the writer becomes free share a transaction
 * and its flush to the disk; each is undone alone when it fails.
 */
export class GroupedWrites {
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly database: Queries,
    private readonly location: string,
  ) {}

  write<T>(run: (queries: Queries) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What is asked for in the same turn of the event loop goes together.
      await new Promise(setImmediate);
      const group = this.#waiting.splice(0, largestGroup);
      try {
        await this.#commit(group);
      } catch (error) {
        const told = databaseError(error, this.location);
        for (const { reject } of group) reject(told);
      }
    }
    this.#running = undefined;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const end = Date.now() + patienceMs;
    for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
      try {
        await this.database.connection().execute((connection) => this.#transaction(connection, group));
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() >= end) throw error;
        await delay(pause + Math.random() * pause);
      }
    }
  }

  async #transaction(queries: Queries, group: readonly Waiting[]): Promise<void> {
    const run = (text: string) => queries.executeQuery(CompiledQuery.raw(text));
    const together = async (eachAlone: boolean) => {
      await run('begin immediate');
      try {
        const done: (() => void)[] = [];
        for (const one of group) done.push(await this.#operation(queries, one, eachAlone));
        faultPoint('database.before-commit');
        await run('commit');
        return done;
      } catch (error) {
        await run('rollback').catch(() => {});
        throw error;
      }
    };
    // Mostly none fails: only when one does, the others are kept apart from it.
    const done = await together(false).catch((error: unknown) => {
      if (group.length === 1 || isBusy(error)) throw error;
      return together(true);
    });
    faultPoint('database.after-commit');
    for (const tell of done) tell();
  }

  /** Gives what tells whoever waits, once it is durable. `alone`: it can be undone by itself. */
  async #operation(
    queries: Queries,
    { run: operation, resolve, reject }: Waiting,
    alone: boolean,
  ): Promise<() => void> {
    const run = (text: string) => queries.executeQuery(CompiledQuery.raw(text));
    if (alone) await run('savepoint one');
    try {
      const value = await operation(queries);
      if (alone) await run('release one');
      return () => resolve(value);
    } catch (error) {
      if (!alone || isBusy(error)) throw error;
      try {
        await run('rollback to one');
        await run('release one');
      } catch {
        // A full disk ends the whole transaction: there is nothing left to undo alone.
        throw error;
      }
      return () => reject(databaseError(error, this.location));
    }
  }
}
