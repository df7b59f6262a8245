import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A PostgreSQL server of its own for a measurement, on a free port of this machine and with the settings that it comes
 * with; undefined where PostgreSQL is not installed. `stop` ends it and removes what it wrote.
 */
export async function startPostgres() {
  const programs = findPrograms();
  if (programs === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'lait-bench-postgres-'));
  // The server refuses to run as root; there it runs as the user that its package made.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const port = await freePort();
  const run = async (program, ...args) => {
    const child = spawn(join(programs, program), args, {
      ...owner,
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`${program} ended with ${code}; see ${directory}`);
  };
  await run('initdb', '-D', data, '-U', 'lait', '-A', 'trust', '-E', 'UTF8', '--no-locale');
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`;
  await run('pg_ctl', '-D', data, '-w', '-l', join(directory, 'log'), '-o', settings, 'start');
  return {
    url: `postgres://lait@127.0.0.1:${port}/postgres`,
    async stop() {
      await run('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** On the path, or where Debian's package puts them. */
function findPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return places.find((place) => place !== '' && existsSync(join(place, 'initdb')));
}

function idOf(option) {
  return Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
