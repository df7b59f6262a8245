import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '../../errors/errors.js';
import { filesBelow } from '../../files/files-below.js';

/**
 * The files that paths stand for: files as they are, directories with the workflow and agent files below them, as
 * `filesBelow` finds them. Throws a `UsageError`: `file_extension` for a file with another extension, `nothing_to_check`
 * when directories hold nothing. Source: facts §17.
 */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about?.isDirectory() === true) found.push(...(await filesBelow(path, isDefinition)));
    else if (/\.(ya?ml|json|md)$/.test(path)) found.push(path);
    else {
      throw new UsageError({
        code: 'file_extension',
        message: `cannot check ${path}: give .yml, .yaml, .json or .md files, or a directory`,
      });
    }
  }
  if (found.length === 0 && paths.length > 0) {
    throw new UsageError({
      code: 'nothing_to_check',
      message: `no workflow or agent file was found in ${paths.join(', ')}: directories are searched for .yml and .yaml files, and for .md files with frontmatter; give .json files by name`,
    });
  }
  return [...new Set(found)];
}

/** Of Markdown only files with frontmatter: the others are documentation. */
async function isDefinition(path: string): Promise<boolean> {
  if (/\.ya?ml$/.test(path)) return true;
  if (!path.endsWith('.md')) return false;
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^---[ \t]*\r?\n/.test(text);
}
