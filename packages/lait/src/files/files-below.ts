import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unreadable } from './read-file.js';

const skipped = new Set(['node_modules', 'target']);

/**
 * The wanted files below a directory, sorted. Links, hidden entries, `node_modules` and `target` are passed over. Throws
 * a `LaitError` (code `file_unreadable`) for a directory that cannot be read. Source: steps facts §17 and §19.
 */
export async function filesBelow(
  directory: string,
  isWanted: (path: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path, isWanted)));
    else if (entry.isFile() && (await isWanted(path))) found.push(path);
  }
  return found;
}
