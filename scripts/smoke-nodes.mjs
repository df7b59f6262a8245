// The smoke test with other releases of Node, from the packages that hold its program for a platform:
//   node scripts/smoke-nodes.mjs [VERSION…]        (without versions: 22 and 24)
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = dirname(fileURLToPath(import.meta.url));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24'];
const scratch = mkdtempSync(join(tmpdir(), 'lait-nodes-'));
try {
  const packed = join(scratch, 'packed');
  execFileSync(process.execPath, [join(scripts, 'pack.mjs'), packed], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const version of versions) {
    const directory = join(scratch, `node-${version}`);
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
    execFileSync('npm', install, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
    const node = join(directory, 'node_modules', name, 'bin', 'node');
    const args = [join(scripts, 'smoke.mjs'), '--locked', '--packed', packed, '--node', node];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
