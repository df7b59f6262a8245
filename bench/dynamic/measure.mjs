// Measures one side in a process of its own and prints JSON: node bench/dynamic/measure.mjs lait|mastra
import { definitions, runs } from './definitions.mjs';

const side = process.argv[2];
const before = process.memoryUsage().rss;
const importStart = process.cpuUsage();
const { createSide } = await import(`./${side}.mjs`);
const host = await createSide();
const { user, system } = process.cpuUsage(importStart);
const importMs = (user + system) / 1000;
const importMegabytes = (process.memoryUsage().rss - before) / 2 ** 20;

/** Processor time in ms, the least of several rounds: other work on the machine counts as little as possible. */
async function time(work, rounds) {
  await work();
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const { large, ...others } = definitions;
for (const definition of Object.values(others)) await host.register(structuredClone(definition));
const rows = {};
for (const [name, { id, input, steps }] of Object.entries(runs)) {
  const rounds = steps > 1000 ? 6 : 40;
  const ms = await time(async () => {
    const { status } = await host.run(id, input);
    if (status !== 'success') throw new Error(`${name}: ${status}`);
  }, rounds);
  rows[name] = (ms * 1000) / steps;
}
const registerMs = await time(() => host.register(structuredClone(large)), 5);
console.log(JSON.stringify({ rows, registerMs, importMs, importMegabytes }));
process.exit(0);
