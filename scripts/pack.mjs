// Packs `lait` and `@lait/jq` as they are published:
//   node scripts/pack.mjs DIRECTORY
// It compiles and bundles a copy of the packages: what was compiled here before, and files of sources that are gone, are
// not in it, and nothing changes below those who use this working tree at the same time.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
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
  copy('packages', ['dist', 'test', 'node_modules']);
  for (const name of readdirSync(root)) {
    if (/^([A-Z].*\.md|LICENSE|package\.json|tsconfig.*\.json|scripts|docs|examples)$/.test(name))
      copy(name, ['.lait']);
  }
  const modules = join(stage, 'node_modules');
  mkdirSync(join(modules, '@lait'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') || name === 'lait' || name === '@lait') continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  symlinkSync(join(stage, 'packages', 'jq'), join(modules, '@lait', 'jq'), 'junction');
  for (const name of ['jq', 'lait']) {
    // What npm could not put at the root.
    const own = join('packages', name, 'node_modules');
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(stage, own), 'junction');
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-b'], { cwd: stage, stdio: ['ignore', 2, 2] });
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
