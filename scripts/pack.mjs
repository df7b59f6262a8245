// Packs `lait` and `@lait/jq` as they are published, from what `tsc -b` has compiled:
//   node scripts/pack.mjs DIRECTORY
// It works on a copy of the packages, so that nothing changes below those who use this working tree at the same time.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [destination] = process.argv.slice(2);
if (destination === undefined) throw new Error('name the directory for the tarballs');
const stage = mkdtempSync(join(tmpdir(), 'lait-pack-'));
try {
  const copy = (name, leftOut) =>
    cpSync(join(root, name), join(stage, name), {
      recursive: true,
      filter: (source) => !leftOut.includes(basename(source)),
    });
  copy('packages', ['src', 'test', 'node_modules', 'bundle']);
  for (const name of readdirSync(root)) {
    if (/^([A-Z].*\.md|LICENSE|package\.json|scripts|docs|examples)$/.test(name)) copy(name, ['.lait']);
  }
  symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'), 'junction');
  execFileSync(process.execPath, ['scripts/bundle.mjs'], {
    cwd: stage,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(destination, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = execFileSync(
    npm,
    ['pack', '--workspaces', '--json', '--loglevel=error', '--pack-destination', resolve(destination)],
    { cwd: stage, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  process.stdout.write(packed);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
