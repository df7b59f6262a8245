// Measures the memory of one subject of one row, in a process that collects nothing by itself: what the prepared work
// holds, and what one run of it allocates, both in bytes for each operation. Prints them as JSON.
import { constants, PerformanceObserver } from 'node:perf_hooks';

const [rowUrl, subject, caseName] = process.argv.slice(2);
const { default: row } = await import(rowUrl);
const { prepare } = row.subjects[subject];

// What is loaded and compiled once is no part of it.
const [smallest] = Object.entries(row.cases);
const first = await prepare(smallest[1], smallest[0]);
for (let round = 0; round < 50; round += 1) await first.run();

const before = heldBytes();
const work = await prepare(row.cases[caseName], caseName);
const held = heldBytes() - before;

for (let round = 0; round < 3; round += 1) await work.run();
globalThis.gc();
const collections = new PerformanceObserver(() => {});
collections.observe({ entryTypes: ['gc'] });
const start = process.memoryUsage().heapUsed;
await work.run();
const allocated = process.memoryUsage().heapUsed - start;
const collected = collections
  .takeRecords()
  .some(({ detail }) => detail.kind !== constants.NODE_PERFORMANCE_GC_WEAKCB);
console.log(
  JSON.stringify({
    held: held / work.operations,
    ...(collected ? {} : { allocated: allocated / work.operations }),
  }),
);
process.exit();

function heldBytes() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
