import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const directory = fileURLToPath(new URL('../peers', import.meta.url));
const require = createRequire(join(directory, 'package.json'));

export function peersInstalled() {
  return existsSync(join(directory, 'node_modules'));
}

/** Installs what the lock file of `bench/peers` names, unless it is there already. */
export function installPeers() {
  if (!peersInstalled())
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, stdio: 'inherit' });
}

/** Imports a peer. */
export function importPeer(name) {
  return import(peerUrl(name));
}

/** Where a peer's module is, for programs that import it themselves. */
export function peerUrl(name) {
  return pathToFileURL(require.resolve(name)).href;
}

/** The installed versions by name. */
export function peerVersions() {
  const { dependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return Object.fromEntries(
    Object.keys(dependencies).map((name) => {
      const file = join(directory, 'node_modules', name, 'package.json');
      return [name, JSON.parse(readFileSync(file, 'utf8')).version];
    }),
  );
}

/** The directory with the peers' packages. */
export const peersDirectory = directory;
