// How long `lait lint` takes: a small file over bare Node, a large one as a whole. The best of several runs counts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../packages/lait/bin/lait.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));

const step = (index) =>
  `  - id: s${index}\n    when: .n > ${index}\n    jq: '{n: .n, before: $steps.s${index - 1}}'\n`;
const workflow = (count) =>
  `steps:\n  - id: s0\n    jq: .\n${Array.from({ length: count - 1 }, (_, i) => step(i + 1)).join('')}`;

function best(args, runs) {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    execFileSync(process.execPath, args, { cwd: directory });
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

writeFileSync(join(directory, 'small.yml'), workflow(5));
writeFileSync(join(directory, 'large.yml'), workflow(5000));
const bare = best(['-e', '0'], 10);
const small = best([launcher, 'lint', 'small.yml'], 10);
const large = best([launcher, 'lint', 'large.yml'], 3);
rmSync(directory, { recursive: true });
console.log(
  JSON.stringify({
    bench: 'lint',
    bare_node_ms: Math.round(bare),
    small_above_bare_ms: { value: Math.round(small - bare), target: 80 },
    large_5000_steps_ms: { value: Math.round(large), target: 1500 },
    small_over_bare: Number((small / bare).toFixed(2)),
  }),
);
