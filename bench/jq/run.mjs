// Compares @lait/jq with jq-wasm, @michaelhomer/jqjs and, where installed, the jq binary: node bench/jq/run.mjs
// Prints a Markdown table. Every figure is taken in a process of its own (measure.mjs), one after the other.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadJq } from 'jq-wasm';
import { cases } from './cases.mjs';

const limit = 40_000;
const script = fileURLToPath(new URL('measure.mjs', import.meta.url));
const binaryVersion = spawnSync('jq', ['--version'], { encoding: 'utf8' });
const hasBinary = binaryVersion.status === 0;
const folder = mkdtempSync(join(tmpdir(), 'jq-bench-'));

/** Runs one contender on one case: `{ time, noise }` in microseconds and percent, or why there is none. */
function attempt(contender, name) {
  const { status, stdout, error } = spawnSync(process.execPath, [script, contender, name], {
    encoding: 'utf8',
    timeout: limit,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error !== undefined) return { failed: `> ${limit / 1000} s` };
  return status === 0 ? JSON.parse(stdout) : { failed: 'fails' };
}

/** The binary's own time: its run minus that of the same start and parse with a program that does nothing. */
function measureBinary(program, file) {
  const time = (source) => {
    const times = [];
    for (let round = 0; round < 5; round++) {
      const from = performance.now();
      const { status, error } = spawnSync('jq', ['-c', source, file], { stdio: 'ignore', timeout: limit });
      if (error !== undefined) return undefined;
      if (status !== 0) return null;
      times.push((performance.now() - from) * 1000);
    }
    return times.sort((a, b) => a - b)[2];
  };
  const run = time(`${program} | empty`);
  if (run === undefined) return { failed: `> ${limit / 1000} s` };
  const idle = time('empty');
  if (run === null || idle === null) return { failed: 'fails' };
  // Less than this drowns in the noise of starting a process.
  return run - idle < 5000 ? undefined : { time: run - idle, noise: 0 };
}

const show = (result) => {
  if (result === undefined) return '–';
  if (result.failed !== undefined) return result.failed;
  const { time } = result;
  if (time < 1000) return `${time < 10 ? time.toFixed(2) : time.toFixed(0)} µs`;
  return `${(time / 1000).toFixed(time < 10_000 ? 1 : 0)} ms`;
};
const ratio = (other, own) => {
  if (other?.time === undefined) return '';
  const times = other.time / own.time;
  return ` (${times < 10 ? times.toFixed(1) : Math.round(times).toLocaleString('en-US')}×)`;
};

const rows = [];
for (const { name, program, input } of cases()) {
  let binary;
  if (hasBinary) {
    const file = join(folder, 'input.json');
    writeFileSync(file, JSON.stringify(input));
    binary = measureBinary(program, file);
  }
  rows.push({
    name,
    own: attempt('own', name),
    reference: attempt('wasm', name),
    jqjs: attempt('jqjs', name),
    binary,
  });
}
for (const name of ['compile, small', 'compile, medium']) {
  rows.push({ name, own: attempt('own', name), jqjs: attempt('jqjs', name) });
}
rmSync(folder, { recursive: true });

const require = createRequire(import.meta.url);
const versions = [
  `node ${process.version}`,
  `jq-wasm ${(await loadJq()).version}`,
  `jqjs ${require('@michaelhomer/jqjs/package.json').version}`,
];
if (hasBinary) versions.push(binaryVersion.stdout.trim());
console.log(`${versions.join(', ')}\n`);
console.log('| what | @lait/jq | noise | jq-wasm | jqjs | jq binary |\n|---|---|---|---|---|---|');
for (const { name, own, reference, jqjs, binary } of rows) {
  const cells = [reference, jqjs, binary].map((other) => show(other) + ratio(other, own));
  console.log(
    `| ${name.replaceAll('|', '\\|')} | ${show(own)} | ±${own.noise.toFixed(0)} % | ${cells.join(' | ')} |`,
  );
}
