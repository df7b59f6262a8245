import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../packages/lait/bin/lait.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lait-bench-'));
writeFileSync(
  join(directory, 'small.yml'),
  `version: 2
name: small
steps:
  - id: first
    jq: '{n: (.n // 1)}'
  - id: ask
    prompt: "Say {{ input }}"
    model: any
  - id: third
    jq: '$steps.first'
  - when: .n > 1
    jq: '{n: .n}'
  - write: result.json
`,
);
writeFileSync(join(directory, 'run.yml'), "version: 2\nname: run\nsteps:\n  - jq: '{text: .}'\n");

const lait = (...args) => ({ command: () => ({ args: [launcher, ...args], directory }) });

export default {
  title: 'Cold start of the command line',
  unit: 'start',
  scale: 'ms',
  rounds: 15,
  cases: { 'process start': undefined },
  target: [
    { subject: 'lait --version', above: 'node -e 0', below: 80, case: 'process start' },
    { subject: 'lait lint', above: 'node -e 0', below: 80, case: 'process start' },
  ],
  note: '`lint` checks five steps with a template, `run` runs one `jq` step.',
  subjects: {
    'node -e 0': { command: () => ({ args: ['-e', '0'], directory }) },
    'lait --version': lait('--version'),
    'lait lint': lait('lint', 'small.yml'),
    'lait run': lait('run', 'run.yml', 'hello'),
  },
  close: () => rmSync(directory, { recursive: true }),
};
