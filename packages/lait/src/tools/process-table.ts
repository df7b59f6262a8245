import { readdirSync, readFileSync } from 'node:fs';

/** One living process. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** Tells a process from a later one with the same number. */
  startTime: string;
}

/**
 * The living processes of the machine (zombies are not living). Empty where the system has no `/proc`: there only
 * process groups are known.
 */
export function readProcessTable(platform: NodeJS.Platform = process.platform): ProcessEntry[] {
  if (platform !== 'linux') return [];
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let text: string;
    try {
      text = readFileSync(`/proc/${name}/stat`, 'latin1');
    } catch {
      continue; // ended between the listing and the look
    }
    const entry = parseProcessStatus(text);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Reads one `/proc/<pid>/stat`. `undefined` for a zombie and for text of another shape. */
export function parseProcessStatus(text: string): ProcessEntry | undefined {
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  const pid = Number.parseInt(text, 10);
  if (!Number.isInteger(pid) || state === undefined || startTime === undefined) return undefined;
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), startTime };
}

/** The leader, its process group, and the descendants of both, also those that left the group. */
export function treeOf(table: readonly ProcessEntry[], leader: number): ProcessEntry[] {
  const found = new Set<number>([leader]);
  for (const entry of table) if (entry.group === leader) found.add(entry.pid);
  for (let grew = true; grew; ) {
    grew = false;
    for (const entry of table) {
      if (!found.has(entry.pid) && found.has(entry.parent)) {
        found.add(entry.pid);
        grew = true;
      }
    }
  }
  return table.filter((entry) => found.has(entry.pid));
}

/**
 * The processes that were started with an entry of the environment (`NAME=value`), whatever became of their parents: a
 * daemon that left its tree keeps it. Processes of other users and those that hide their environment are not seen.
 */
export function startedWith(table: readonly ProcessEntry[], entry: string): ProcessEntry[] {
  return table.filter(({ pid }) => {
    if (pid === process.pid) return false;
    try {
      return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${entry}\0`);
    } catch {
      return false;
    }
  });
}
