import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../src/engine/fault-point.js';
import { postgresAbsent, startPostgres } from '../support/postgres.js';
import { type ServerProcess, startServerProcess } from './support/server-process.js';
import { until } from './support/test-server.js';

const directories: string[] = [];
async function place(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lait-faults-'));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

const append = (line: string) =>
  `  - id: ${line}\n    run: [sh, -c, 'echo "$1" >> lines.txt', sh, "${line} {{ inputs.name }}"]\n`;
const asking = `inputs: { name: string }\nsteps:\n${append('a')}${append('b')}  - id: q\n    ask: "go on?"\n${append('c')}`;

function linesOf(directory: string): Map<string, number> {
  const counts = new Map<string, number>();
  let text = '';
  try {
    text = readFileSync(join(directory, 'lines.txt'), 'utf8');
  } catch {
    // Nothing was done yet.
  }
  for (const line of text.split('\n').filter((one) => one !== ''))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Numbers of a log begin at 1 and have no gaps. */
async function expectWholeLog(server: ServerProcess, runId: string): Promise<void> {
  const log = await server.call('GET', `/v1/runs/${runId}/log?limit=1000`);
  const numbers = log!.body.items.map((event: { seq: number }) => event.seq);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
}

describe('[server.crash] a server that is killed loses no run and repeats no recorded step', () => {
  const points: [FaultPoint, number][] = [
    ['run.after-created', 1],
    ['run.after-running', 1],
    ['effect.before-outcome', 2],
    ['effect.after-outcome', 1],
    ['question.after-recorded', 1],
    ['run.after-answered', 1],
    ['run.before-ended', 2],
    ['database.before-commit', 5],
  ];

  it.concurrent.each(points)('at %s, time %i', { timeout: 60_000 }, async (name, count) => {
    const directory = await place({ 'asking.yml': asking });
    const options = {
      directory,
      database: join(directory, 'lait.db'),
      workflows: { asking: join(directory, 'asking.yml') },
    };
    let server = await startServerProcess({ ...options, fault: { name, count } });
    let deaths = 0;
    const again = async () => {
      if (server.alive()) return;
      deaths += 1;
      server = await startServerProcess(options);
    };
    const run_id = 'the-run';
    const finished = await until(async () => {
      await again();
      const found = await server.call('GET', `/v1/runs/${run_id}`);
      if (found?.status === 404)
        await server.call('POST', '/v1/runs', { workflow: 'asking', run_id, inputs: { name: 'x' } });
      if (found?.body?.status === 'waiting_hitl')
        await server.call('POST', `/v1/runs/${run_id}/answer`, { answer: 'y' });
      return ['completed', 'failed', 'interrupted'].includes(found?.body?.status) ? found!.body : undefined;
    }, 50_000);
    expect(finished.status).toBe('completed');
    expect(deaths).toBe(1);
    const lines = linesOf(directory);
    expect([...lines.keys()].sort()).toEqual(['a x', 'b x', 'c x']);
    // Only a call whose outcome was not recorded yet may have happened twice.
    const repeated = [...lines].filter(([, times]) => times > 1).map(([line]) => line);
    // Which commit the fifth one is depends on timing: it may be the one that records an outcome.
    if (name === 'database.before-commit') expect(repeated.length).toBeLessThanOrEqual(1);
    else expect(repeated).toEqual(name === 'effect.before-outcome' ? ['b x'] : []);
    await expectWholeLog(server, run_id);
    await server.kill('SIGTERM');
  });
});

describe('[server.shutdown] a server that is told to end sets its runs aside', () => {
  const slow = `inputs: { name: string }\nsteps:\n${append('first')}  - id: wait\n    run: [sleep, '30']\n    when: '$inputs.name == "x"'\n`;
  it.each(['automatic', 'explicit'] as const)(
    'and they go on by the %s policy',
    { timeout: 30_000 },
    async (resume) => {
      const directory = await place({ 'slow.yml': slow });
      const options = {
        directory,
        database: join(directory, 'lait.db'),
        workflows: { slow: join(directory, 'slow.yml') },
        log: join(directory, 'log'),
        settings: { resume, concurrency: 16 },
      };
      const server = await startServerProcess(options);
      await server.call('POST', '/v1/runs', { workflow: 'slow', run_id: 'r', inputs: { name: 'x' } });
      await until(async () => linesOf(directory).size === 1);
      await server.kill('SIGTERM');
      expect(readFileSync(options.log, 'utf8')).toContain(
        'stopping: 1 run(s) may go on for 0 s; a second signal ends the server at once',
      );
      const next = await startServerProcess({
        ...options,
        settings: { ...options.settings, concurrency: 0 },
      });
      const stored = await next.call('GET', '/v1/runs/r');
      expect(stored!.body.status).toBe(resume === 'automatic' ? 'queued' : 'interrupted');
      if (resume === 'explicit')
        expect((await next.call('POST', '/v1/runs/r/resume'))!.body.status).toBe('queued');
      expect(linesOf(directory).get('first x')).toBe(1);
      await next.call('POST', '/v1/runs/r/cancel');
      await next.kill('SIGTERM');
    },
  );
});

describe.skipIf(postgresAbsent !== undefined)('two servers on one PostgreSQL', () => {
  it('[server.shared-work] share the work, take over from one that is killed, and outlive a restart of the database', {
    timeout: 90_000,
  }, async () => {
    const cluster = await startPostgres();
    const directory = await place({
      'work.yml': `inputs: { name: string }\nsteps:\n${append('one')}${append('two')}`,
    });
    const options = {
      directory,
      database: cluster.url,
      workflows: { work: join(directory, 'work.yml') },
      // Longer than a busy machine keeps a process from giving signs of life.
      settings: { concurrency: 4, leaseMs: 4000 },
    };
    const servers = await Promise.all([startServerProcess(options), startServerProcess(options)]);
    const [first, second] = servers as [ServerProcess, ServerProcess];
    try {
      const ids = Array.from({ length: 60 }, (_, index) => `run-${index}`);
      await Promise.all(
        ids.map((run_id, index) =>
          servers[index % 2]!.call('POST', '/v1/runs', {
            workflow: 'work',
            run_id,
            inputs: { name: run_id },
          }),
        ),
      );
      const ended = async () => (await second.call('GET', '/v1/runs?status=completed&limit=500'))?.body;
      await until(async () => ((await ended())?.total ?? 0) >= 15, 30_000);
      const workers = new Set((await ended()).items.map((run: { worker: string }) => run.worker));
      expect(workers.size).toBe(2);
      await first.kill('SIGKILL');
      await cluster.restart();
      await until(async () => (await ended())?.total === ids.length, 60_000);
      const lines = linesOf(directory);
      expect(lines.size).toBe(2 * ids.length);
      // Killed in the middle of a call, at most as many as there were under way have happened twice.
      const repeated = [...lines.values()].filter((times) => times > 1);
      expect(repeated.length).toBeLessThanOrEqual(8);
      // Once more when the database was lost under the second one before it could record the outcome.
      expect(Math.max(...lines.values())).toBeLessThanOrEqual(3);
      for (const run_id of ids.slice(0, 10)) await expectWholeLog(second, run_id);
    } finally {
      for (const server of servers) if (server.alive()) await server.kill('SIGTERM');
      await cluster.stop();
    }
  });
});
