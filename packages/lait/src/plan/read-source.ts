import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DefinitionError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';
import { type ReadFileOptions, readTextFile } from '../files/read-file.js';
import type { SourceFile } from './source.js';

/**
 * Reads a definition. A file that cannot be read or is not UTF-8 is a wrong definition: throws a `DefinitionError`
 * that keeps the code of `readTextFile` (`file_not_found`, `file_unreadable`, `file_too_large`, `file_not_utf8`).
 */
export async function readSourceFile(path: string, options: ReadFileOptions = {}): Promise<SourceFile> {
  try {
    return { file: path, text: await readTextFile(path, options) };
  } catch (error) {
    if (!isLaitError(error) || error.category === 'cancelled') throw error;
    const { code, message } = error;
    throw new DefinitionError({ code, message, diagnostics: [{ code, severity: 'error', message }] });
  }
}

/** How definitions are read: from their files, or as they were pinned. */
export type ReadSource = typeof readSourceFile;

/** Reads definitions for commands that run nothing: a named pipe is refused at once. Source: facts §22. */
export const readRegularFile: ReadSource = (path, options) =>
  readSourceFile(path, { ...options, pipes: false });

/** Reads definitions as they were when they were pinned, by canonical path; others from their files. */
export function readPinned(pinned: readonly SourceFile[]): ReadSource {
  const texts = new Map(pinned.map(({ file, text }) => [file, text]));
  return async (path, options) => {
    const text = texts.get(await realpath(path).catch(() => resolve(path)));
    return text === undefined ? readSourceFile(path, options) : { file: path, text };
  };
}
