import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A lock file for a folder into which the packed packages are installed: the versions that the repository is tested
 * with. After `npm ci` they are all in npm's cache, so that nothing has to be looked up.
 */
export function lockFile(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const placed = Object.entries(packages).flatMap(([path, entry]) => {
    if (entry.dev === true || entry.link === true) return [];
    const inOurs = /^packages\/([^/]+)\/(node_modules\/.*)$/.exec(path);
    if (inOurs !== null)
      return [[`node_modules/${inOurs[1] === 'jq' ? '@lait/jq' : inOurs[1]}/${inOurs[2]}`, entry]];
    return path.startsWith('node_modules/') ? [[path, entry]] : [];
  });
  return { name: 'stranger', lockfileVersion: 3, requires: true, packages: Object.fromEntries(placed) };
}
