import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const directory = fileURLToPath(new URL('../peers', import.meta.url));
const require = createRequire(join(directory, 'package.json'));

/** Whether every peer is there; an older installation may lack some. */
export function peersInstalled() {
  return peerNames().every((name) => existsSync(join(directory, 'node_modules', name)));
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
  return Object.fromEntries(
    peerNames().map((name) => {
      const file = join(directory, 'node_modules', name, 'package.json');
      return [name, JSON.parse(readFileSync(file, 'utf8')).version];
    }),
  );
}

/** The directory with the peers' packages. */
export const peersDirectory = directory;

function peerNames() {
  return Object.keys(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).dependencies);
}
