import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryRunStore } from '../../../src/runs/memory-run-store.js';
import type { RunRecord } from '../../../src/runs/run-record.js';
import type { RunStore } from '../../../src/runs/run-store.js';
import type { Database } from '../../../src/runs/stores/database/database.js';
import { openPostgresDatabase } from '../../../src/runs/stores/database/postgres-database.js';
import { openSqliteDatabase } from '../../../src/runs/stores/database/sqlite-database.js';
import { FileRunStore } from '../../../src/runs/stores/files/file-run-store.js';
import { SqlRunStore } from '../../../src/runs/stores/sql/sql-run-store.js';
import type { SecretCodec } from '../../../src/runs/stores/value-codec.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';

/** One place that stores are opened on. */
export interface StorePlace {
  /** One more store on the same data, as another process would open it. */
  open(options?: { secrets?: SecretCodec }): Promise<RunStore>;
  /** What a program in another process opens. */
  address: string;
  remove(): Promise<void>;
}

export interface StoreFlavour {
  name: string;
  /** Data outlives the process. */
  durable: boolean;
  skip?: string;
  place(): Promise<StorePlace>;
}

let cluster: PostgresCluster | undefined;

/** One PostgreSQL server for all tests of a file. */
export async function sharedPostgres(): Promise<PostgresCluster> {
  cluster ??= await startPostgres();
  return cluster;
}

export async function stopPostgres(): Promise<void> {
  await cluster?.stop();
  cluster = undefined;
}

/** The databases that runs are kept in, each opened anew and empty. */
export const databases: readonly { name: string; skip?: string; open(): Promise<Database> }[] = [
  {
    name: 'SQLite',
    open: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'lait-sqlite-'));
      const database = await openSqliteDatabase(join(directory, 'lait.db'));
      const close = database.close.bind(database);
      database.close = async () => {
        await close();
        await rm(directory, { recursive: true, force: true });
      };
      return database;
    },
  },
  {
    name: 'PostgreSQL',
    ...(postgresAbsent !== undefined && { skip: postgresAbsent }),
    open: async () => {
      const { url } = await sharedPostgres();
      return openPostgresDatabase(url, { schema: `lait_${randomUUID().slice(0, 8)}` });
    },
  },
];

export const flavours: readonly StoreFlavour[] = [
  {
    name: 'memory',
    durable: false,
    place: async () => {
      const store = new MemoryRunStore();
      return { open: async () => store, address: '', remove: async () => {} };
    },
  },
  {
    name: 'files',
    durable: true,
    place: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'lait-files-'));
      return {
        open: async (options) => new FileRunStore(directory, options),
        address: directory,
        remove: () => rm(directory, { recursive: true, force: true }),
      };
    },
  },
  {
    name: 'SQLite',
    durable: true,
    place: async () => {
      const directory = await mkdtemp(join(tmpdir(), 'lait-sqlite-'));
      const path = join(directory, 'lait.db');
      return {
        open: async (options) => new SqlRunStore(await openSqliteDatabase(path), options),
        address: path,
        remove: () => rm(directory, { recursive: true, force: true }),
      };
    },
  },
  {
    name: 'PostgreSQL',
    durable: true,
    ...(postgresAbsent !== undefined && { skip: postgresAbsent }),
    place: async () => {
      const { url } = await sharedPostgres();
      const schema = `lait_${randomUUID().slice(0, 8)}`;
      return {
        open: async (options) => new SqlRunStore(await openPostgresDatabase(url, { schema }), options),
        address: `${url}?schema=${schema}`,
        remove: async () => {},
      };
    },
  },
];

let count = 0;

/** A run record with everything that a store must keep. */
export function record(changes: Partial<RunRecord> = {}): RunRecord {
  count += 1;
  const now = new Date(Date.UTC(2026, 0, 1) + count).toISOString();
  return {
    run_id: `wrun_${String(count).padStart(6, '0')}`,
    definition: {
      form: 'graph',
      id: 'flow',
      origin: 'flow.json',
      sources: [{ file: 'flow.json', text: '{}' }],
    },
    status: 'queued',
    revision: 1,
    inputs: { text: '日本語 🙂' },
    context: { reference_time: now },
    questions: [],
    answers: {},
    created_at: now,
    updated_at: now,
    ...changes,
  };
}
