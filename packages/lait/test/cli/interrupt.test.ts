import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, lait, startLait, until } from './run-lait.js';

test('[cli.interrupt] Ctrl-C stops the run and the programs it started, exit code 130', async () => {
  const directory = directoryWith({
    'w.yml':
      'steps:\n  - run: [sh, -c, "touch started; (sleep 30; touch late) & sleep 30; touch late"]\n    on_error: [ { run: [touch, handled] } ]\n',
  });
  const running = startLait(directory, ['run', 'w.yml', 'x']);
  await until(() => existsSync(join(directory, 'started')));
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout]).toEqual([130, '']);
  expect(stderr).toContain('interrupted');
  expect(existsSync(join(directory, 'handled'))).toBe(false);
  const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  expect(left).not.toContain('touch started; (sleep 30');
});

/** Gives the write end of a pipe once somebody reads it; until then opening it fails. */
async function writerOf(pipe: string): Promise<number> {
  let writer: number | undefined;
  await until(() => {
    try {
      writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENXIO') throw error;
    }
    return writer !== undefined;
  });
  return writer!;
}

test.each([
  ['configuration', ['run', 'w.yml', 'x', '--config', 'pipe']],
  ['workflow file', ['run', 'pipe', 'x']],
])('Ctrl-C while the %s is being read', async (_, args) => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [cat]\n' });
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  const running = startLait(directory, args);
  const writer = await writerOf(join(directory, 'pipe'));
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130, stdout: '' });
  closeSync(writer);
});

test('Ctrl-C while standard input is being read', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [cat]\n' });
  const running = startLait(directory, ['run', 'w.yml', 'x'], { stdin: 'open' });
  await until(() => running.seen.stderr.includes('waiting for standard input'));
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130, stdout: '' });
});

test('a second Ctrl-C ends the process at once', async () => {
  const directory = directoryWith({
    'w.yml': `steps:\n  - run: [sh, -c, "trap '' INT TERM; touch started; sleep 30"]\n`,
  });
  const running = startLait(directory, ['run', 'w.yml', 'x']);
  await until(() => existsSync(join(directory, 'started')));
  running.child.kill('SIGINT');
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('a checkpointed run that was interrupted is listed so, and how to keep its items is told', async () => {
  const items =
    '  - for_each: .\n    steps: [ { run: [sh, -c, "cat; touch at-$(cat n); sleep 30"], when: ". != 1" } ]\n';
  const directory = directoryWith({
    'w.yml': `steps:\n  - jq: "[1, 2]"\n${items}`,
    n: '2',
  });
  const running = startLait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
  await until(() => existsSync(join(directory, 'at-2')));
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/resume with `lait run w\.yml --resume \S+`/);
  expect(stderr).toContain('1 finished item of the for_each is kept: add --keep-items');
  const [run] = JSON.parse((await lait(directory, ['runs', 'list', '--json'])).stdout);
  expect(run).toMatchObject({ status: 'interrupted', completed_steps: 1 });
  expect((await lait(directory, ['runs', 'show', run.run_id])).stdout).toContain('interrupted');
});

test('a run that failed by itself is listed as failed, and nothing is said of items that there are not', async () => {
  const directory = directoryWith({
    'w.yml': 'steps:\n  - for_each: "[1]"\n    steps: [ { run: ["false"] } ]\n',
  });
  const { stderr } = await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
  expect(stderr).not.toContain('--keep-items');
  const { stdout } = await lait(directory, ['runs', 'list', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed' }]);
});
