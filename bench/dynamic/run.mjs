// The same definitions here and in @mastra/core: node bench/dynamic/run.mjs
// Processor time and ratios of one machine in one run. Not measured: stores that survive a crash, models, networks.
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
const [own, peer] = ['lait', 'mastra'].map(measure);
const rows = [
  ...Object.keys(own.rows).map((name) => [`${name}, µs a step`, own.rows[name], peer.rows[name], 10]),
  ['registration of 500 entries, ms', own.registerMs, peer.registerMs],
  ['import and set up, ms', own.importMs, peer.importMs],
  ['memory after import, MB', own.importMegabytes, peer.importMegabytes],
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
