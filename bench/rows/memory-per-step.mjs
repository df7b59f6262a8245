import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('../support/memory-worker.mjs', import.meta.url));
/** Their smallest case is left out: it is what the subject warms up with. */
const chains = ['steps-chain', 'dynamic-chain', 'graph-chain'];

/** Bytes are counted, not timed: this row makes its own section. */
export default {
  title: 'Memory for each step of a chain',
  async section({ peers }) {
    const lines = [];
    for (const chain of chains) {
      const url = new URL(`${chain}.mjs`, import.meta.url).href;
      const { default: row } = await import(url);
      for (const caseName of Object.keys(row.cases).slice(1)) {
        for (const [name, { peer = false, cases }] of Object.entries(row.subjects)) {
          if ((peer && !peers) || cases?.includes(caseName) === false) continue;
          lines.push(`| ${chain} | ${caseName} | ${name} | ${measured(url, name, caseName)} |`);
        }
      }
    }
    return [
      `\`bench/rows/memory-per-step.mjs\`, bytes per step of the chains below. *Held* is what the loaded workflow keeps;
*allocated* is what one run of it asks for, in a process whose young generation takes it without a collection.`,
      '',
      '| row | case | subject | held | allocated |',
      '|---|---|---|---:|---:|',
      ...lines,
    ].join('\n');
  },
};

function measured(url, subject, caseName) {
  const printed = execFileSync(
    process.execPath,
    [
      '--expose-gc',
      '--no-warnings',
      '--min-semi-space-size=1024',
      '--max-semi-space-size=1024',
      worker,
      url,
      subject,
      caseName,
    ],
    { encoding: 'utf8' },
  );
  const { held, allocated } = JSON.parse(printed);
  return `${Math.round(held)} | ${allocated === undefined ? 'more than 1 GiB' : Math.round(allocated)}`;
}
