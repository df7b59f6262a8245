import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../packages/lait/bin/lait.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));
const sizes = [50, 200, 800];
const valueBytes = 1000;

for (const size of sizes) {
  const steps = Array.from(
    { length: size },
    (_, index) => `  - id: s${index}\n    jq: '"${index}" + ("x" * ${valueBytes})'\n`,
  );
  writeFileSync(join(directory, `${size}.yml`), `version: 2\nname: chain\nsteps:\n${steps.join('')}`);
}
const lait = (...flags) => ({
  command: (size) => ({ args: [launcher, 'run', `${size}.yml`, 'x', '-q', ...flags], directory }),
});

export default {
  title: 'Checkpoints against history',
  unit: 'run',
  scale: 'ms',
  rounds: 7,
  cases: Object.fromEntries(sizes.map((size) => [`${size} steps of 1 KB`, size])),
  note: 'Whole runs of the command line. A checkpoint is one file that is written anew and synchronised after each step, so its cost grows with what is recorded: the price of one readable file. What was recorded before is copied, not encoded again.',
  subjects: { lait: lait(), 'lait --checkpoint': lait('--checkpoint') },
  close: () => rmSync(directory, { recursive: true }),
};
