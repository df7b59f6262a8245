// A server under load, in processes of their own: runs a second of a pure workflow of three steps that are created over
// HTTP and finished, how long a run waits until it begins, and whether memory grows with the runs that wait for somebody.
//   node bench/server/run.mjs [--seconds 10] [--parked 10000] [--postgres postgres://…] [--peers]
// PostgreSQL is started for the measurement where it is installed, unless a URL is given.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineLoad } from '../support/machine-load.mjs';
import { installPeers } from '../support/peers.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { asking, pure } from './workflows.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    parked: { type: 'string', default: '10000' },
    postgres: { type: 'string', default: process.env.LAIT_BENCH_POSTGRES },
    peers: { type: 'boolean', default: process.env.LAIT_BENCH_PEERS !== undefined },
  },
});
const seconds = Number(values.seconds);
const parked = Number(values.parked);
/** No more runs are parked after so many seconds. */
const parkingSeconds = 40;
const atOnce = 32;
const nodeArgs = (process.env.LAIT_BENCH_NODE_ARGS ?? '').split(' ').filter((one) => one !== '');
const launcher = fileURLToPath(new URL('../../packages/lait/bin/lait.js', import.meta.url));

const rows = [];
const own = values.postgres === undefined ? await startPostgres() : undefined;
try {
  rows.push(await measureLait('lait, SQLite', []));
  const url = values.postgres ?? own?.url;
  if (url !== undefined) rows.push(await measureLait('lait, PostgreSQL', ['--database', url]));
  if (values.peers) {
    installPeers();
    rows.push(await measurePeer('@mastra/core, LibSQL', []));
    rows.push(await measurePeer('@mastra/core, LibSQL, `synchronous = FULL`', ['--flushed']));
  }
} finally {
  await own?.stop();
}
print(rows);

async function measureLait(name, args) {
  const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));
  // Here the clients are one and the same.
  writeFileSync(
    join(directory, 'lait.config.yml'),
    'server: { rate_limit: { per_second: 1e6, burst: 1000000 } }\n',
  );
  const child = spawn(process.execPath, [...nodeArgs, launcher, 'serve', '--port', '0', ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (data) => {
      if (text === undefined) return;
      text += data;
      const found = /serving at (http:\S+),/.exec(text)?.[1];
      if (found === undefined) return;
      text = undefined;
      resolve(found);
    });
    child.once('exit', () => reject(new Error(text)));
  });
  try {
    const mark = Date.now().toString(36);
    await call(url, 'PUT', `/v1/definitions/pure`, { content: pure });
    await call(url, 'PUT', `/v1/definitions/asking`, { content: asking });
    const start = (workflow, name) => (index) =>
      call(url, 'POST', '/v1/runs', { workflow, input: { n: 1 }, run_id: `${name}-${mark}-${index}` });
    const warm = await inTurns(start('pure', 'warm'), { count: 200, seconds: 15 });
    await reached(url, 'pure', 'completed', warm);

    const begin = performance.now();
    const cpuBefore = cpuOf(child.pid);
    const total = await inTurns(start('pure', 'run'), { seconds });
    await reached(url, 'pure', 'completed', warm + total);
    const took = (performance.now() - begin) / 1000;
    const cpu = cpuOf(child.pid) - cpuBefore;

    const latencies = await startLatencies(url, 60, mark);
    // Between two collections of garbage a process breathes: one number would say little.
    const end = performance.now() + parkingSeconds * 1000;
    const memory = [];
    for (let all = 0; all < parked && performance.now() < end; ) {
      const from = all;
      const park = start('asking', 'parked');
      all += await inTurns((index) => park(from + index), { count: Math.min(500, parked - all) });
      await reached(url, 'asking', 'waiting_hitl', all);
      memory.push({ all, megabytes: memoryOf(child.pid) });
    }
    return { name, perSecond: total / took, cpuMs: (cpu * 1000) / total, latencies, memory };
  } finally {
    child.kill(nodeArgs.length > 0 ? 'SIGTERM' : 'SIGKILL');
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Mastra keeps no queue: a run begins with the request, which comes back when it has ended. */
async function measurePeer(name, args) {
  const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));
  const script = fileURLToPath(new URL('./mastra-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, join(directory, 'mastra.db'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = String((await once(child.stdout, 'data'))[0]).trim();
  try {
    const start = () => call(url, 'POST', '/start', { n: 1 });
    await inTurns(start, { count: 200, seconds: 15 });
    const cpuBefore = cpuOf(child.pid);
    const begin = performance.now();
    const total = await inTurns(start, { seconds });
    const took = (performance.now() - begin) / 1000;
    const cpu = cpuOf(child.pid) - cpuBefore;
    return { name, perSecond: total / took, cpuMs: (cpu * 1000) / total };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One after the other on an idle server: from the creation of a run to its beginning. */
async function startLatencies(url, count, mark) {
  const latencies = [];
  for (let index = 0; index < count; index += 1) {
    const run_id = `latency-${mark}-${index}`;
    await call(url, 'POST', '/v1/runs', { workflow: 'pure', input: { n: 1 }, run_id });
    let run;
    do run = await call(url, 'GET', `/v1/runs/${run_id}`);
    while (run.status !== 'completed');
    latencies.push(Date.parse(run.started_at) - Date.parse(run.created_at));
  }
  return latencies.sort((a, b) => a - b);
}

/** Does the work again and again, several at once, as often or as long as is said. Gives how often. */
async function inTurns(work, { count = Number.POSITIVE_INFINITY, seconds: longest = 60 }) {
  const end = performance.now() + longest * 1000;
  let next = 0;
  const worker = async () => {
    while (next < count && performance.now() < end) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return next;
}

async function reached(url, workflow, status, count) {
  for (;;) {
    const page = await call(url, 'GET', `/v1/runs?limit=1&workflow=${workflow}&status=${status}`);
    if (page.total >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function call(url, method, path, body) {
  for (;;) {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status !== 429) throw new Error(JSON.stringify(answer));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Processor time of a process so far, in seconds. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function print(measured) {
  console.log(
    `| server | runs a second (${atOnce} clients) | processor ms a run | start p50 / p99 | resident memory with so many parked runs |`,
  );
  console.log('|---|---:|---:|---:|---|');
  for (const { name, perSecond, cpuMs, latencies, memory } of measured) {
    const at = (part) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))];
    const start = latencies === undefined ? '–' : `${at(0.5)} / ${at(0.99)} ms`;
    const places = [0.1, 0.4, 0.7, 1].map((part) => memory?.[Math.ceil(memory.length * part) - 1]);
    const shown = [...new Set(places)];
    const parking =
      memory === undefined
        ? '–'
        : shown.map(({ all, megabytes }) => `${all}: ${megabytes.toFixed(0)} MB`).join(', ');
    console.log(`| ${name} | ${perSecond.toFixed(0)} | ${cpuMs.toFixed(1)} | ${start} | ${parking} |`);
  }
  console.log(`
${machineLoad()} One machine runs clients, server and database: not measured are networks and several
processes. lait queues runs, and flushes each of a run's three transactions to the disk before anybody is told of it;
runs that are under way together share transactions. The peer runs them within the request. By itself it sets
\`synchronous = NORMAL\`: what it has stored last may be lost with the machine. Its second row flushes like lait.`);
}
