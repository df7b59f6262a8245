// Runs one subject of one row in a process of its own: prepares, warms up, then one round per message of the parent.
import { setTimeout as delay } from 'node:timers/promises';

const [rowUrl, subject, caseName] = process.argv.slice(2);
const { default: row } = await import(rowUrl);

/** A round repeats the work until it has lasted about this long, so that the clock does not count. */
const roundMs = 50;
/**
 * A row that `staysWarm` measures code as a server has it that has run for a while: it warms up for longer, and no full
 * collection stands between its rounds. After a run nothing of it is alive, and V8 throws compiled code away with the
 * last object that it knows: what follows would start cold each time.
 */
const { staysWarm = false } = row;
/** Warm is who has computed for this long: on a busy machine the clock runs while nothing happens. */
const warmUpCpuMs = staysWarm ? 3_000 : 700;
const longestWarmUpMs = 9 * warmUpCpuMs;

const work = await row.subjects[subject].prepare(row.cases[caseName], caseName);
globalThis.gc?.();
const residentBefore = process.memoryUsage().rss;

const startedAt = performance.now();
const cpuAtStart = process.cpuUsage();
let fastestMs = Number.POSITIVE_INFINITY;
for (;;) {
  const start = performance.now();
  await work.run();
  fastestMs = Math.min(fastestMs, performance.now() - start);
  const { user, system } = process.cpuUsage(cpuAtStart);
  if ((user + system) / 1000 > warmUpCpuMs || performance.now() - startedAt > longestWarmUpMs) break;
}
const repetitions = Math.min(5000, Math.max(1, Math.round(roundMs / Math.max(fastestMs, 0.01))));

process.on('message', async (message) => {
  if (message === 'round') process.send(await round());
  else {
    await work.close?.();
    await delay(0);
    const mebibytes = (bytes) => bytes / 1024 / 1024;
    process.send({
      peakMiB: process.resourceUsage().maxRSS / 1024,
      grownMiB: Math.max(0, process.resourceUsage().maxRSS / 1024 - mebibytes(residentBefore)),
    });
    process.disconnect();
    process.exit();
  }
});
process.send('ready');

/** Wall and CPU time of one operation in milliseconds. */
async function round() {
  globalThis.gc?.({ type: staysWarm ? 'minor' : 'major' });
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  for (let index = 0; index < repetitions; index += 1) await work.run();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  const operations = repetitions * work.operations;
  return { wallMs: wallMs / operations, cpuMs: (user + system) / 1000 / operations };
}
