// The same definitions here and in @mastra/core: node bench/dynamic/run.mjs
// Processor time of one machine in one run, the median of five measurements taken in turn. Not measured: stores that survive a crash, models, networks.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const peers = fileURLToPath(new URL('../peers/', import.meta.url));
if (!existsSync(`${peers}node_modules`)) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: peers,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
}
const script = fileURLToPath(new URL('./measure.mjs', import.meta.url));
const measure = (side) => {
  const out = execFileSync(process.execPath, [script, side], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
  return JSON.parse(out.trim().split('\n').at(-1));
};
const rounds = 5;
const measured = { lait: [], mastra: [] };
for (let round = 0; round < rounds; round += 1) {
  for (const side of Object.keys(measured)) measured[side].push(measure(side));
}
const medians = (figure) =>
  Object.values(measured).map((times) => times.map(figure).sort((a, b) => a - b)[(rounds - 1) / 2]);
const rows = [
  ...Object.keys(measured.lait[0].rows).map((name) => [
    `${name}, µs a step`,
    ...medians(({ rows }) => rows[name]),
    10,
  ]),
  ['registration of 500 entries, ms', ...medians(({ registerMs }) => registerMs)],
  ['import and set up, ms', ...medians(({ importMs }) => importMs)],
  ['memory after import, MB', ...medians(({ importMegabytes }) => importMegabytes)],
];
console.log(
  `${'dynamic form'.padEnd(36)}${'lait'.padStart(10)}${'mastra'.padStart(10)}${'ratio'.padStart(9)}  target`,
);
let missed = 0;
for (const [name, lait, mastra, target] of rows) {
  const ratio = mastra / lait;
  const verdict = target === undefined ? '' : `≥ ${target} ${ratio >= target ? 'ok' : 'MISSED'}`;
  if (target !== undefined && ratio < target) missed += 1;
  console.log(
    `${name.padEnd(36)}${lait.toFixed(2).padStart(10)}${mastra.toFixed(2).padStart(10)}${`${ratio.toFixed(1)}×`.padStart(9)}  ${verdict}`,
  );
}
process.exit(missed === 0 ? 0 : 1);
