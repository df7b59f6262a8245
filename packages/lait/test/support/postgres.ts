import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the server programs are: on the path, or where Debian's package `postgresql` puts them. */
async function findPrograms(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? (await readdir(debian)).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return candidates.find((directory) => directory !== '' && existsSync(join(directory, 'initdb')));
}

const programs = await findPrograms();

/** Says why tests with PostgreSQL cannot run here; undefined when they can. */
export const postgresAbsent =
  programs === undefined
    ? 'PostgreSQL is not installed: `apt-get install postgresql` (Debian) makes these tests run'
    : undefined;

if (postgresAbsent !== undefined) console.warn(`skipped: ${postgresAbsent}`);

/** A PostgreSQL cluster of its own in a temporary directory, listening on a port of this machine alone. */
export interface PostgresCluster {
  url: string;
  /** Stops the server at once, as a crash does, and starts it again. */
  restart(): Promise<void>;
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresCluster> {
  if (programs === undefined) throw new Error(postgresAbsent);
  const directory = await mkdtemp(join(tmpdir(), 'lait-postgres-'));
  // The server refuses to run as root; there it runs as the user that its package made.
  const asRoot = process.getuid?.() === 0;
  const owner = asRoot ? await idsOf('postgres') : undefined;
  if (owner !== undefined) await chown(directory, owner.uid, owner.gid);
  await chmod(directory, 0o700);
  const data = join(directory, 'data');
  const port = await freePort();
  const options = { ...owner, cwd: directory, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } };
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'lait', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-locale'],
    options,
  );
  const control = (...words: string[]) =>
    run(join(programs, 'pg_ctl'), ['-D', data, '-w', ...words], options);
  const start = async () => {
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`;
    // The server keeps the descriptors that it was started with: it must not hold pipes of this process.
    const starting = spawn(
      join(programs, 'pg_ctl'),
      ['-D', data, '-w', '-l', join(directory, 'log'), '-o', settings, 'start'],
      { ...options, stdio: 'ignore' },
    );
    const code = await new Promise((resolve) => starting.once('exit', resolve));
    if (code !== 0) throw new Error(`PostgreSQL did not start; see ${join(directory, 'log')}`);
  };
  const crash = async () => {
    await control('-m', 'immediate', 'stop');
  };
  await start();
  return {
    url: `postgres://lait@127.0.0.1:${port}/postgres`,
    start,
    crash,
    restart: async () => {
      await crash();
      await start();
    },
    stop: async () => {
      await crash().catch(() => {});
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const id = async (option: string) => Number((await run('id', [option, user])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
