// Measures lait, and with --peers what stands next to it, and writes bench/REPORT.md.
//   npm run bench                        all rows, ours only
//   npm run bench -- --peers             peers too; installs bench/peers when needed
//   npm run bench -- --scripts           the scripts of other directories too, some of which take minutes
//   npm run bench -- --only for-each     rows whose file name contains the text; prints, writes no report
//   npm run bench -- --rounds 20         another number of rounds for every row
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureRow } from './support/measure-row.mjs';
import { installPeers } from './support/peers.mjs';
import { reportHead, rowSection } from './support/report.mjs';

const { values } = parseArgs({
  options: {
    peers: { type: 'boolean' },
    scripts: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const peers = values.peers === true;
if (peers) installPeers();
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);

const rowsUrl = new URL('rows/', import.meta.url);
const files = readdirSync(rowsUrl).filter(
  (file) => file.endsWith('.mjs') && file.includes(values.only ?? ''),
);
const sections = [];
for (const file of files.sort()) {
  const url = new URL(file, rowsUrl).href;
  const { default: row } = await import(url);
  const section =
    row.section === undefined
      ? rowSection(row, file, await measureRow(row, url, { peers, rounds }))
      : `## ${row.title}\n\n${await row.section({ peers })}\n`;
  console.log(section);
  sections.push(section);
}
for (const script of values.scripts === true ? ownScripts(values.only ?? '') : []) {
  const section = `## ${script}\n\nA script of its own; this is what it printed.\n\n${printedBy(script)}\n`;
  console.log(section);
  sections.push(section);
}
if (values.only === undefined) {
  writeFileSync(
    new URL('REPORT.md', import.meta.url),
    [reportHead({ peers, scripts: values.scripts === true }), ...sections].join('\n'),
  );
  console.log('written to bench/REPORT.md');
}

/** Measurements that do not fit a row: `run.mjs` of a directory beside rows, support and peers, or all scripts in it. */
function ownScripts(part) {
  const directory = new URL('.', import.meta.url);
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['rows', 'support', 'peers'].includes(entry.name))
    .flatMap(({ name }) => {
      const scripts = readdirSync(new URL(`${name}/`, directory)).filter((file) => file.endsWith('.mjs'));
      return (scripts.includes('run.mjs') ? ['run.mjs'] : scripts).map((file) => `${name}/${file}`);
    })
    .filter((path) => path.includes(part))
    .sort();
}

function printedBy(script) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  try {
    const text = execFileSync(process.execPath, [file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(peers && { LAIT_BENCH_PEERS: '1' }) },
    });
    // Tables stay tables; anything else is shown as it is.
    return /^\|/m.test(text) ? text.trim() : `\`\`\`\n${text.trim()}\n\`\`\``;
  } catch (error) {
    return `failed: ${String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .at(-1)}`;
  }
}
