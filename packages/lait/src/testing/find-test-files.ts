import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors/errors.js';
import { testKindOf } from './test-kind.js';

const skipped = new Set(['node_modules', 'target']);

/**
 * The test (or eval) files that paths stand for: files as they are, and of directories the YAML files below them that
 * are such files, sorted. Links, hidden entries, `node_modules` and `target` are passed over. Throws a `UsageError`
 * (code `file_not_found`) for a path that does not exist. Source: facts §19.
 */
export async function findTestFiles(paths: readonly string[], kind: 'test' | 'eval'): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about === undefined) {
      throw new UsageError({
        code: 'file_not_found',
        message: `cannot read ${path}: no such file or directory`,
      });
    }
    if (about.isDirectory()) found.push(...(await filesBelow(path, kind)));
    else found.push(path);
  }
  return [...new Set(found)];
}

async function filesBelow(directory: string, kind: 'test' | 'eval'): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path, kind)));
    else if (entry.isFile() && /\.ya?ml$/.test(path)) {
      const text = await readFile(path, 'utf8').catch(() => '');
      if (testKindOf(text) === kind) found.push(path);
    }
  }
  return found;
}
