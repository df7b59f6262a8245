import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '../errors/errors.js';
import { filesBelow } from '../files/files-below.js';
import { testKindOf } from './test-kind.js';

/**
 * The test (or eval) files that paths stand for: files as they are, and of directories the YAML files below them that
 * are such files, as `filesBelow` finds them. Throws a `UsageError` (code `file_not_found`) for a path that does not
 * exist. Source: facts §19.
 */
export async function findTestFiles(paths: readonly string[], kind: 'test' | 'eval'): Promise<string[]> {
  const isTest = async (path: string) =>
    /\.ya?ml$/.test(path) && testKindOf(await readFile(path, 'utf8').catch(() => '')) === kind;
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about === undefined) {
      throw new UsageError({
        code: 'file_not_found',
        message: `cannot read ${path}: no such file or directory`,
      });
    }
    if (about.isDirectory()) found.push(...(await filesBelow(path, isTest)));
    else found.push(path);
  }
  return [...new Set(found)];
}
