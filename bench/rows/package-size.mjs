import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));
const peers = fileURLToPath(new URL('../peers/node_modules', import.meta.url));

/** Sizes are counted, not timed: this row makes its own section. */
export default {
  title: 'Package size',
  section() {
    const lines = ['| what | files | unpacked, MiB | packed, MiB |', '|---|---:|---:|---:|'];
    for (const name of ['lait', 'jq']) {
      const text = execFileSync('npm', ['pack', '--dry-run', '--json'], {
        cwd: join(packages, name),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [{ entryCount, unpackedSize, size }] = JSON.parse(text);
      lines.push(`| packages/${name} | ${entryCount} | ${mebibytes(unpackedSize)} | ${mebibytes(size)} |`);
    }
    if (existsSync(peers)) {
      const { files, bytes } = contents(peers);
      lines.push(`| all peers with their dependencies | ${files} | ${mebibytes(bytes)} | |`);
    }
    return lines.join('\n');
  },
};

function contents(directory) {
  let files = 0;
  let bytes = 0;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const entry = lstatSync(path);
    if (entry.isDirectory()) {
      const inside = contents(path);
      files += inside.files;
      bytes += inside.bytes;
    } else if (entry.isFile()) {
      files += 1;
      bytes += entry.size;
    }
  }
  return { files, bytes };
}

function mebibytes(bytes) {
  return (bytes / 1024 / 1024).toFixed(1);
}
