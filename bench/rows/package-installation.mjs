import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockFile } from '../../scripts/lock-file.mjs';
import { peerVersions } from '../support/peers.mjs';
import { summarize } from '../support/statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rounds = 5;

/** An installation writes thousands of files and is no run of anything: this row makes its own section. */
export default {
  title: 'Installation',
  section({ peers }) {
    const scratch = mkdtempSync(join(tmpdir(), 'lait-bench-'));
    try {
      const subjects = [packed(scratch), ...(peers ? peerPackages() : [])];
      for (const subject of subjects) install(scratch, subject);
      const seconds = subjects.map(() => []);
      for (let round = 0; round < rounds; round += 1) {
        for (const [index, subject] of subjects.entries()) seconds[index].push(install(scratch, subject));
      }
      return [
        `\`bench/rows/package-installation.mjs\`, \`npm install\` into an empty folder, with every package in npm's cache: the
median of ${rounds} installations, taken in turn. lait brings its command line, server, databases, MCP and telemetry; \`mastra\` is
\`@mastra/core\` with its packages for SQLite, PostgreSQL and MCP; the others are the library alone. The time goes with the files,
of which telemetry brings lait a third.`,
        '',
        '| what | s | packages | files | MiB |',
        '|---|---:|---:|---:|---:|',
        ...subjects.map((subject, index) => line(scratch, subject, summarize(seconds[index]))),
      ].join('\n');
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

/** lait as it is published, with the versions that the repository is tested with. */
function packed(scratch) {
  const directory = join(scratch, 'packed');
  execFileSync(process.execPath, ['scripts/pack.mjs', directory], { cwd: root, stdio: 'ignore' });
  const files = readdirSync(directory).map((file) => join(directory, file));
  return { name: 'lait', packages: files, lock: lockFile(root) };
}

function peerPackages() {
  const version = peerVersions();
  const all = {
    mastra: ['@mastra/core', '@mastra/libsql', '@mastra/pg', '@mastra/mcp', 'zod'],
    langgraph: ['@langchain/langgraph', '@langchain/core'],
    xstate: ['xstate'],
  };
  return Object.entries(all).map(([name, packages]) => ({
    name,
    packages: packages.map((one) => `${one}@${version[one]}`),
  }));
}

/** Seconds of one installation. */
function install(scratch, { name, packages, lock }) {
  const folder = join(scratch, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"stranger","private":true}');
  if (lock !== undefined) writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const start = performance.now();
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: 'ignore',
  });
  return (performance.now() - start) / 1000;
}

function line(scratch, { name }, { median, spread }) {
  const modules = join(scratch, name, 'node_modules');
  const { files, bytes, packages } = contents(modules);
  return `| ${name} | ${median.toFixed(1)} ±${Math.round(spread * 50)} % | ${packages} | ${files} | ${(bytes / 1024 / 1024).toFixed(1)} |`;
}

function contents(directory) {
  const sum = { files: 0, bytes: 0, packages: 0 };
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const entry = lstatSync(path);
    if (entry.isDirectory()) {
      const inside = contents(path);
      for (const key of Object.keys(sum)) sum[key] += inside[key];
      if (/node_modules(\/@[^/]+)?$/.test(directory) && existsSync(join(path, 'package.json')))
        sum.packages += 1;
    } else if (entry.isFile()) {
      sum.files += 1;
      sum.bytes += entry.size;
    }
  }
  return sum;
}
