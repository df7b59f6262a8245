import { stat } from 'node:fs/promises';
import { isJsonDefinition } from '../../dialects/detect.js';
import { UsageError } from '../../errors/errors.js';
import { filesBelow } from '../../files/files-below.js';
import { readFileBytes } from '../../files/read-file.js';

/**
 * The files that paths stand for: files as they are, directories with the definitions below them, as `filesBelow` finds
 * them. Throws a `UsageError` (code `nothing_to_check`) when directories hold nothing. Source: facts §17.
 */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about?.isDirectory() === true) found.push(...(await filesBelow(path, isDefinition)));
    else found.push(path);
  }
  if (found.length === 0 && paths.length > 0) {
    throw new UsageError({
      code: 'nothing_to_check',
      message: `no workflow or agent file was found in ${paths.join(', ')}: directories are searched for .yml and .yaml files, .json files with a definition, and .md files with frontmatter`,
    });
  }
  return [...new Set(found)];
}

/** JSON is mostly data, and Markdown documentation: of both only files with the marks of a definition. */
async function isDefinition(path: string): Promise<boolean> {
  if (/\.ya?ml$/.test(path)) return true;
  if (path.endsWith('.md')) return /^---[ \t]*\r?\n/.test(await textOf(path));
  return path.endsWith('.json') && isJsonDefinition(await textOf(path));
}

/** What cannot be read, or is larger than a definition may be, is none. */
function textOf(path: string): Promise<string> {
  return readFileBytes(path, { pipes: false }).then(String, () => '');
}
