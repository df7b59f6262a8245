// Runs examples/triage from its recorded replies: no server, no key, no network. `npm run demo` builds first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const message = 'Hello, when I click on the CSV export button nothing happens. I tried twice.';
const flags = ['--replay', 'examples/triage/replies', '--show-usage', '--no-stdin'];
console.log(`$ lait run examples/triage/workflow.yml "${message}" \\\n    ${flags.join(' ')}\n`);

const scratch = mkdtempSync(join(tmpdir(), 'lait-demo-'));
try {
  const reply = join(scratch, 'reply.md');
  const lait = join(root, 'packages', 'lait', 'bin', 'lait.js');
  const args = ['run', 'examples/triage/workflow.yml', message, ...flags, '--input', `out=${reply}`];
  const { status } = spawnSync(process.execPath, [lait, ...args, '--no-config', '--no-env'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  console.log(`\nThe workflow wrote its reply to a file:\n\n${readFileSync(reply, 'utf8')}`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
