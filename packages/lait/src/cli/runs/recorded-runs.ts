import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors/errors.js';
import { openRunStore } from '../../runs/open-run-store.js';
import type { RunRecord } from '../../runs/run-record.js';
import type { RunStore, RunUse } from '../../runs/run-store.js';
import { StoredSecrets } from '../../runs/stored-secrets.js';
import type { CommandContext } from '../command-context.js';
import { runStore } from './run-store.js';

/** Where runs that wait are recorded. */
export interface StoreOptions {
  /** A database instead of the files in `.lait`. */
  database?: string;
}

/** The records of runs that can wait: those of the directory that the command was started in, or of a database. */
export class RecordedRuns {
  #store: Promise<RunStore> | undefined;

  private constructor(
    readonly context: CommandContext,
    readonly options: StoreOptions,
    readonly secrets: StoredSecrets,
    private readonly use: RunUse,
  ) {}

  /**
   * Opens nothing yet. To `show` runs no variable needs to be set that they hold the value of. A configuration that
   * cannot be read is left to the commands that need it.
   */
  static async of(
    context: CommandContext,
    options: StoreOptions,
    use: RunUse = 'work',
  ): Promise<RecordedRuns> {
    const configuration = await context.configuration().catch(() => undefined);
    const sources = [JSON.stringify(configuration?.values ?? {})];
    const secrets = new StoredSecrets(await context.variables(), context.secrets, sources);
    return new RecordedRuns(context, options, secrets, use);
  }

  /**
   * The store. Throws a `UsageError` (code `database_missing`) when runs of a SQLite file are to be shown that is not
   * there.
   */
  store(): Promise<RunStore> {
    const { context, options, secrets, use } = this;
    if (use === 'show') this.#requireDatabase();
    this.#store ??= openRunStore({
      directory: join(context.workingDirectory, '.lait'),
      database: options.database,
      secrets: use === 'work' ? secrets : secrets.forShow,
    });
    return this.#store;
  }

  /**
   * The run that a person means; `latest` is the newest. Throws a `UsageError`: `run_not_found`, or `run_of_other_kind`
   * for a checkpoint, which another command continues; `database_missing` for a SQLite file that is not there.
   */
  async find(name: string, use?: RunUse): Promise<RunRecord> {
    this.#requireDatabase();
    const store = await this.store();
    const id = name === 'latest' ? (await store.list({ limit: 1 }))[0]?.run_id : name;
    const record = id === undefined ? undefined : await store.read(id, use);
    if (record === undefined) throw await this.#notFound(name);
    this.secrets.protect(record.definition.sources.map(({ text }) => text));
    return record;
  }

  /** Opening a SQLite file would make it: a mistyped path is told instead. */
  #requireDatabase(): void {
    const { database } = this.options;
    if (database === undefined || this.#store !== undefined || /^(postgres(ql)?|file|sqlite):/.test(database))
      return;
    if (!existsSync(database))
      throw new UsageError({ code: 'database_missing', message: `there is no database ${database}` });
  }

  async close(): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.close();
  }

  async #notFound(name: string): Promise<UsageError> {
    const { context, options } = this;
    const isCheckpoint =
      options.database === undefined &&
      (
        await runStore(context)
          .ids()
          .catch((): string[] => [])
      ).includes(name);
    if (isCheckpoint) {
      return new UsageError({
        code: 'run_of_other_kind',
        message: `run '${name}' is a checkpoint: \`lait run FILE --resume ${name}\` continues it`,
      });
    }
    const place = options.database === undefined ? 'in .lait' : 'in this database';
    const what = name === 'latest' ? 'no run that was recorded to wait' : `no run '${name}'`;
    return new UsageError({
      code: 'run_not_found',
      message: `there is ${what} ${place}; \`lait runs list\` shows what there is`,
    });
  }
}
