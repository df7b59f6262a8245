import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Where the examples lie: in the package, or in a working copy at its root. */
export function exampleDirectory(): string {
  const packaged = fileURLToPath(new URL('../../examples', import.meta.url));
  return existsSync(packaged) ? packaged : fileURLToPath(new URL('../../../../examples', import.meta.url));
}

/** The names of the examples, in order. */
export async function exampleNames(): Promise<string[]> {
  const entries = await readdir(exampleDirectory(), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
