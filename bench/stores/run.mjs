// What recording a durable effect costs, next to what one bare flush of the same disk costs in the same run.
// And what claiming a run costs while few or many are queued.
//   node bench/stores/run.mjs [directory] [--postgres postgres://…]
// PostgreSQL is started for the measurement where it is installed, unless a URL is given.
import { fdatasync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs, promisify } from 'node:util';
import { openPostgresDatabase } from '../../packages/lait/dist/runs/stores/database/postgres-database.js';
import { openSqliteDatabase } from '../../packages/lait/dist/runs/stores/database/sqlite-database.js';
import { FileRunStore } from '../../packages/lait/dist/runs/stores/files/file-run-store.js';
import { SqlRunStore } from '../../packages/lait/dist/runs/stores/sql/sql-run-store.js';
import { machineLoad } from '../support/machine-load.mjs';
import { startPostgres } from '../support/postgres.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'string', default: process.env.LAIT_BENCH_POSTGRES } },
});
const [parent = tmpdir()] = positionals;
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
const rows = [];

let runs = 0;
function newRecord(workflow, status) {
  runs += 1;
  const now = new Date().toISOString();
  return {
    run_id: `wrun_bench_${Date.now()}_${runs}`,
    definition: { form: 'graph', id: workflow, origin: 'bench.json', sources: [] },
    status,
    revision: 1,
    inputs: {},
    context: {},
    questions: [],
    answers: {},
    created_at: now,
    updated_at: now,
  };
}

async function newJournal(store, entries = 0) {
  const record = newRecord('bench', 'waiting_hitl');
  await store.create(
    record,
    [],
    Array.from({ length: entries }, (_, index) => outcome(`old ${index}`)),
  );
  return store.journal(record.run_id);
}

/** Milliseconds a claim of one run, while so many of 20 workflows are queued. */
async function claimMs(store, queued) {
  const create = (index) => store.create(newRecord(`flow-${index % 20}`, 'queued'), []);
  for (let index = await store.count({ statuses: ['queued'] }); index < queued; index += 100)
    await Promise.all(Array.from({ length: 100 }, (_, offset) => create(index + offset)));
  return median(() => msEach(15, () => store.claim({ worker: 'bench', leaseMs: 600_000 })));
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
  const claims = name === 'files' ? [] : [await claimMs(store, 200), await claimMs(store, 10_000)];
  const perSecond = (ms, effects = 1) => Math.round((1000 * effects) / ms);
  rows.push([
    name,
    `${perSecond(aloneMs)} (${(aloneMs / bareMs).toFixed(1)})`,
    `${perSecond(roundMs, together)} (${(roundMs / bareMs).toFixed(1)})`,
    `${perSecond(runsMs, together)} (${(runsMs / bareMs).toFixed(1)})`,
    `${(longMs / aloneMs).toFixed(2)}×`,
    claims.length === 0 ? '–' : claims.map((ms) => `${ms.toFixed(1)} ms`).join(' / '),
  ]);
  await store.close();
}

const own = values.postgres === undefined ? await startPostgres() : undefined;
try {
  await measure('files', new FileRunStore(join(directory, 'files')));
  await measure('SQLite', new SqlRunStore(await openSqliteDatabase(join(directory, 'lait.db'))));
  const url = values.postgres ?? own?.url;
  if (url !== undefined)
    await measure('PostgreSQL', new SqlRunStore(await openPostgresDatabase(url, { schema: 'lait_bench' })));
} finally {
  await own?.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log(
  `| store | effects a second alone | in ${together} branches | in ${together} runs | after 20,000 outcomes | a claim, 200 / 10,000 queued |`,
);
console.log('|---|---:|---:|---:|---:|---:|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log(`
In brackets: how many bare flushes of this disk the same time is worth (one takes ${bareMs.toFixed(2)} ms); for branches and runs, the
time of all ${together} together. What stands after 20,000 outcomes is compared with an empty run. ${machineLoad()}`);
