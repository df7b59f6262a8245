import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the examples lie: in the package, or in a working copy at its root. */
export function exampleDirectory(): string {
  const packaged = fileURLToPath(new URL('../../examples', import.meta.url));
  return existsSync(packaged) ? packaged : fileURLToPath(new URL('../../../../examples', import.meta.url));
}
