import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { capabilityNode, hitl, terminal } from '../runs/graph-host.js';
import { auto, configuration, graphFile, logOf } from './graph-files.js';

const driver = fileURLToPath(new URL('./killed-lait.mjs', import.meta.url));

/** The command line in a process that dies at a fault point. */
function killedAt(point: string, happening: number, directory: string, args: readonly string[]) {
  return new Promise<boolean>((resolve) => {
    execFile(process.execPath, [driver, point, String(happening), ...args], { cwd: directory }, (error) =>
      resolve(error?.signal === 'SIGKILL'),
    );
  });
}

const files = {
  'lait.config.yml': configuration({
    first: `${auto}, idempotent: true`,
    second: auto,
    third: auto,
  }),
  'g.json': graphFile(
    [
      capabilityNode('first', 'first'),
      capabilityNode('second', 'second'),
      hitl('q'),
      capabilityNode('third', 'third'),
      terminal('t'),
    ],
    ['first->second', 'second->q', 'q->third', 'third->t'],
  ),
};

/** Brings a run to its end as a person would, whatever it waits for. */
async function bringToEnd(directory: string): Promise<void> {
  for (let command = ['resume', 'latest']; ; ) {
    const { code, stderr } = await lait(directory, ['runs', ...command, '-q']);
    if (code === 0) return;
    const happened = logOf(directory).includes('second');
    if (/waits for an answer/.test(stderr)) command = ['answer', 'latest', 'yes'];
    else if (/waits for a decision/.test(stderr))
      command =
        happened && !logOf(directory).includes('asked')
          ? ['attention', 'latest', 'adopt', '--result', '{"summary":"done"}']
          : ['attention', 'latest', 'reexecute'];
    else throw new Error(`exit code ${code}: ${stderr}`);
  }
}

test.each([
  ['run.after-created', 1, []],
  ['run.after-running', 1, []],
  ['effect.after-outcome', 1, ['first']],
  ['effect.before-outcome', 2, ['first', 'second']],
  ['question.after-recorded', 1, ['first', 'second']],
  ['run.after-ended', 1, ['first', 'second']],
] as const)(
  'killed at %s (%i), the run goes on without repeating what was done [waiting.kill-points]',
  async (point, happening, done) => {
    const directory = directoryWith(files);
    expect(await killedAt(point, happening, directory, ['run', 'g.json', '-q'])).toBe(true);
    expect(logOf(directory)).toEqual(done);
    await bringToEnd(directory);
    expect(logOf(directory)).toEqual(['first', 'second', 'third']);
  },
);

test('killed behind its answer, the run takes the answer up [waiting.kill-points]', async () => {
  const directory = directoryWith(files);
  await lait(directory, ['run', 'g.json', '-q']);
  appendFileSync(join(directory, 'log'), 'asked\n');
  expect(await killedAt('run.after-answered', 1, directory, ['runs', 'answer', 'latest', 'yes', '-q'])).toBe(
    true,
  );
  expect((await lait(directory, ['runs', 'answer', 'latest', 'no', '-q'])).code).toBe(2);
  expect((await lait(directory, ['runs', 'resume', 'latest', '-q'])).code).toBe(0);
  expect(logOf(directory)).toEqual(['first', 'second', 'asked', 'third']);
});
