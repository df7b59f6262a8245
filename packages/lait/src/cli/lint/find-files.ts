import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors/errors.js';

const skipped = new Set(['node_modules', 'target']);

/**
 * The files that paths stand for: files as they are, directories with the workflow and agent files below them, sorted.
 * Links, hidden entries, `node_modules` and `target` are passed over. Throws a `UsageError` for a file with another
 * extension. Source: facts §17.
 */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about?.isDirectory() === true) found.push(...(await filesBelow(path)));
    else if (/\.(ya?ml|json|md)$/.test(path)) found.push(path);
    else {
      throw new UsageError({
        code: 'file_extension',
        message: `cannot check ${path}: give .yml, .yaml, .json or .md files, or a directory`,
      });
    }
  }
  return [...new Set(found)];
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (entry.isFile() && (await isDefinition(path))) found.push(path);
  }
  return found;
}

/** Of Markdown only files with frontmatter: the others are documentation. */
async function isDefinition(path: string): Promise<boolean> {
  if (/\.ya?ml$/.test(path)) return true;
  if (!path.endsWith('.md')) return false;
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^---[ \t]*\r?\n/.test(text);
}
