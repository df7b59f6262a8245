import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { peersInstalled, peerVersions } from './peers.mjs';

/** The head of the report: what was measured on what, and what the numbers do not say. */
export function reportHead({ peers, scripts }) {
  const { version } = JSON.parse(
    readFileSync(new URL('../../packages/lait/package.json', import.meta.url), 'utf8'),
  );
  const versions = peers && peersInstalled() ? peerVersions() : {};
  const names = Object.entries(versions).map(([name, number]) => `${name} ${number}`);
  const flags = `${peers || scripts ? ' --' : ''}${peers ? ' --peers' : ''}${scripts ? ' --scripts' : ''}`;
  return `# Benchmark report

Made by \`npm run bench${flags}\` from lait ${version} on Node ${process.versions.node}, ${process.platform} ${process.arch},
${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${loadavg()[2].toFixed(0)} programs wanting to run on average in the last 15 minutes.${names.length === 0 ? '' : `\nPeers: ${names.join(', ')}.`}

Every subject runs in a process of its own. The subjects of a case take turns, round by round, after a warm-up; a round
repeats the work for about 50 ms. The table shows the median of the rounds and, behind ±, half of the range in which the
middle half of the rounds lies. CPU time counts what the process computed, also when other programs held the processors
up; compare by it on a busy machine. Memory is the most that the process ever held, and in brackets what it grew by after
loading.

## What is not measured

- Real models and real networks: the model server is a program on the same machine that answers after a fixed time.
- Peers with durable stores switched on, except in the rows of servers; peers on other runtimes than Node.
- Windows and macOS. Machines with more processors would show less waiting where many calls are under way.
- A peer's step is what its documentation calls the cheapest step that computes a value; peers do other things besides
  (telemetry, checkpoints, typed states), and what lait writes to a record is measured by itself.
`;
}

const units = { µs: 1000, ms: 1, s: 0.001, ratio: 1 };

/** One row as a table, with the ratio of every subject to lait. */
export function rowSection(row, file, measured) {
  const lines = [
    `## ${row.title}`,
    '',
    `\`bench/rows/${file}\`, ${row.scale} per ${row.unit}. ${row.note ?? ''}`.trim(),
    '',
  ];
  lines.push(
    '| case | subject | median | CPU | next to lait | memory, MiB |',
    '|---|---|---:|---:|---:|---:|',
  );
  for (const one of measured) {
    if (one.failed !== undefined) {
      lines.push(`| ${one.case} | ${one.subject} | failed: ${one.failed} | | | |`);
      continue;
    }
    const own = measured.find((other) => other.case === one.case && other.subject === 'lait' && other.wall);
    lines.push(
      `| ${one.case} | ${one.subject} | ${timing(one.wall, row.scale)} | ${one.cpu === undefined ? '' : timing(one.cpu, row.scale)} | ${ratio(one, own)} | ${memory(one.memory)} |`,
    );
  }
  for (const target of [row.target ?? []].flat()) lines.push('', verdict(target, row, measured));
  return `${lines.join('\n')}\n`;
}

function timing({ median, spread }, scale) {
  return `${shown(median * units[scale])} ±${Math.round(spread * 50)} %`;
}

/** By CPU time where both have it: it does not depend on what else the machine does. */
function ratio(one, own) {
  if (own === undefined || one === own) return '';
  const share = one.cpu && own.cpu ? one.cpu.median / own.cpu.median : one.wall.median / own.wall.median;
  return `${shown(share)}×`;
}

function memory({ peakMiB, grownMiB }) {
  return peakMiB === undefined ? '' : `${Math.round(peakMiB)} (+${Math.round(grownMiB)})`;
}

/** Says whether a target is reached, by the wall time of the median and of the best round, and by CPU time. */
function verdict({ subject, case: name, below, above }, row, measured) {
  const of = (who) => measured.find((one) => one.case === name && one.subject === who);
  const found = of(subject);
  if (found?.wall === undefined) return `Target for ${name}: not measured.`;
  const floor = above === undefined ? undefined : of(above);
  const over = (clock, figure) =>
    (found[clock][figure] - (floor === undefined ? 0 : floor[clock][figure])) * units[row.scale];
  const median = over('wall', 'median');
  const least = over('wall', 'least');
  const met = median <= below ? 'met' : least <= below ? 'met by the best round' : 'missed';
  const where = above === undefined ? '' : ` above ${above}`;
  return `Target for ${name}: ${subject} ≤ ${below} ${row.scale}${where}. Median ${shown(median)}, best ${shown(least)}, CPU ${shown(over('cpu', 'median'))}: ${met}.`;
}

function shown(value) {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
