// What a checkpoint costs: its size against the recorded values, and a recorded run against the same one unrecorded.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../packages/lait/bin/lait.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));
const steps = 200;
const valueBytes = 1000;
writeFileSync(
  join(directory, 'w.yml'),
  `steps:\n${Array.from({ length: steps }, (_, i) => `  - id: s${i}\n    jq: '"${i}" + ("x" * ${valueBytes})'\n`).join('')}`,
);

const run = (...flags) => {
  const start = performance.now();
  execFileSync(process.execPath, [launcher, 'run', 'w.yml', 'x', '-q', ...flags], { cwd: directory });
  return performance.now() - start;
};
const least = (...flags) => Math.min(...Array.from({ length: 3 }, () => run(...flags)));
const plain = least();
const recorded = least('--checkpoint');
const [file] = readdirSync(join(directory, '.lait', 'runs'));
const { size } = statSync(join(directory, '.lait', 'runs', file));
rmSync(directory, { recursive: true });
console.log(
  JSON.stringify({
    bench: 'checkpoint',
    steps,
    size_over_values: Number((size / (steps * valueBytes)).toFixed(2)),
    one_checkpoint_ms: Number(((recorded - plain) / (steps + 2)).toFixed(2)),
    recorded_over_plain: Number((recorded / plain).toFixed(2)),
  }),
);
