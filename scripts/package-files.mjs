// Puts what lies at the root of the repository into a package while it is packed, and takes it away again:
//   node scripts/package-files.mjs add|remove    (npm runs it before and after packing, in the package's directory)
// The documentation and the examples travel with `lait`: they fit the version, and `lait init --example` copies from them.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const directory = process.cwd();
const added = {
  lait: ['LICENSE', 'README.md', 'README.ja.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'examples'],
  jq: ['LICENSE'],
}[basename(directory)];
if (added === undefined) throw new Error(`${directory} is no package of ours`);

for (const name of added) rmSync(join(directory, name), { recursive: true, force: true });
if (process.argv[2] === 'add') {
  if (basename(directory) === 'lait' && !existsSync(join(directory, 'dist', 'bundle', 'main.cjs'))) {
    throw new Error('the command line is not bundled: run `npm run build` first');
  }
  for (const name of added.filter((one) => existsSync(join(root, one)))) {
    // What runs of examples left behind stays here.
    cpSync(join(root, name), join(directory, name), {
      recursive: true,
      filter: (source) => basename(source) !== '.lait',
    });
  }
}
