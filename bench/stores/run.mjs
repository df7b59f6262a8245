// What recording a durable effect costs, next to what one bare flush of the same disk costs in the same run.
// `node bench/stores/run.mjs [directory]`; PostgreSQL with LAIT_BENCH_POSTGRES=postgres://… . Prints one JSON row a line.
import { fdatasync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { openPostgresDatabase } from '../../packages/lait/dist/runs/stores/database/postgres-database.js';
import { openSqliteDatabase } from '../../packages/lait/dist/runs/stores/database/sqlite-database.js';
import { FileRunStore } from '../../packages/lait/dist/runs/stores/files/file-run-store.js';
import { SqlRunStore } from '../../packages/lait/dist/runs/stores/sql-run-store.js';

const parent = process.argv[2] ?? tmpdir();
mkdirSync(parent, { recursive: true });
const directory = mkdtempSync(join(parent, 'lait-bench-store-'));
const flush = promisify(fdatasync);
const alone = 150;
const together = 50;
const rounds = 20;

async function msEach(times, work) {
  const begin = performance.now();
  for (let index = 0; index < times; index += 1) await work(index);
  return (performance.now() - begin) / times;
}

/** The median of three, with the machine's other work left out as far as that goes. */
async function median(measure) {
  const all = [await measure(), await measure(), await measure()].sort((a, b) => a - b);
  return all[1];
}

const file = openSync(join(directory, 'bare'), 'a');
const line = `${JSON.stringify({ type: 'completed', address: 'steps[0]', value: 'x'.repeat(100) })}\n`;
const bareMs = await median(() =>
  msEach(alone, async () => {
    writeSync(file, line);
    await flush(file);
  }),
);
const print = (row) => console.log(JSON.stringify(row));
print({ row: 'store.bare-flush', ms: round(bareMs) });

function round(value) {
  return Math.round(value * 1000) / 1000;
}

let runs = 0;
async function newJournal(store, entries = 0) {
  runs += 1;
  const now = new Date().toISOString();
  const run_id = `wrun_bench_${Date.now()}_${runs}`;
  const record = {
    run_id,
    definition: { form: 'graph', id: 'bench', origin: 'bench.json', sources: [] },
    status: 'running',
    revision: 1,
    inputs: {},
    context: {},
    questions: [],
    answers: {},
    created_at: now,
    updated_at: now,
  };
  await store.create(
    record,
    [],
    Array.from({ length: entries }, (_, index) => outcome(`old ${index}`)),
  );
  return store.journal(run_id);
}

const outcome = (address) => ({ type: 'completed', address, value: 'x'.repeat(100) });

async function measure(name, store) {
  const journal = await newJournal(store);
  let count = 0;
  const next = () => outcome(`steps[${count++}]`);
  const aloneMs = await median(() => msEach(alone, () => journal.append(next())));
  const roundMs = await median(() =>
    msEach(rounds, () => Promise.all(Array.from({ length: together }, () => journal.append(next())))),
  );
  const runsAtOnce = [];
  for (let index = 0; index < together; index += 1) runsAtOnce.push(await newJournal(store));
  const runsMs = await median(() =>
    msEach(rounds, () => Promise.all(runsAtOnce.map((one) => one.append(next())))),
  );
  const long = await newJournal(store, 20_000);
  const longMs = await median(() => msEach(alone, () => long.append(next())));
  print({
    row: `store.${name}`,
    effects_per_second_alone: Math.round(1000 / aloneMs),
    flushes_per_effect_alone: round(aloneMs / bareMs),
    effects_per_second_50_branches: Math.round((1000 * together) / roundMs),
    flushes_per_50_branches: round(roundMs / bareMs),
    effects_per_second_50_runs: Math.round((1000 * together) / runsMs),
    flushes_per_50_runs: round(runsMs / bareMs),
    after_20000_outcomes_to_empty: round(longMs / aloneMs),
  });
  await store.close();
}

await measure('files', new FileRunStore(join(directory, 'files')));
await measure('sqlite', new SqlRunStore(await openSqliteDatabase(join(directory, 'lait.db'))));
const url = process.env.LAIT_BENCH_POSTGRES;
if (url !== undefined)
  await measure('postgres', new SqlRunStore(await openPostgresDatabase(url, { schema: 'lait_bench' })));
rmSync(directory, { recursive: true, force: true });
