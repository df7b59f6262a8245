import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, lait, type RunningLait, startLait, until } from './run-lait.js';

const log = (directory: string) => readFileSync(join(directory, 'log'), 'utf8').trim().split('\n');
const rounds = ({ seen }: RunningLait) => seen.stderr.split('waiting for changes').length - 1;

test('[run.watch] runs again after a change and keeps the values of unchanged leading steps', async () => {
  const workflow = (last: string) => `steps:
  - id: slow
    run: [sh, -c, 'echo slow >> log; cat']
  - id: child
    workflow: ./child.yml
  - jq: '${last}'
`;
  const child = (text: string) => `steps:\n  - run: [sh, -c, 'echo child >> log; printf ${text}']\n`;
  const directory = directoryWith({ 'w.yml': workflow('. + "!"'), 'child.yml': child('one') });
  const running = startLait(directory, ['run', 'w.yml', 'x', '--watch']);
  await until(() => rounds(running) === 1);
  expect([running.seen.stdout, log(directory)]).toEqual(['one!\n', ['slow', 'child']]);

  writeFileSync(join(directory, 'w.yml'), workflow('. + "?"'));
  await until(() => rounds(running) === 2);
  expect([running.seen.stdout, log(directory)]).toEqual(['one!\none?\n', ['slow', 'child']]);
  expect(running.seen.stderr).toContain('w.yml changed');
  expect(running.seen.stderr).toContain('unchanged, values used again: slow, child');

  writeFileSync(join(directory, 'child.yml'), child('two'));
  await until(() => rounds(running) === 3);
  expect([running.seen.stdout, log(directory)]).toEqual(['one!\none?\ntwo?\n', ['slow', 'child', 'child']]);

  writeFileSync(join(directory, 'w.yml'), 'steps: [');
  await until(() => rounds(running) === 4);
  expect(running.seen.stderr).toContain('yaml_syntax');

  writeFileSync(join(directory, 'w.yml'), workflow('. + "."'));
  await until(() => rounds(running) === 5);
  expect([running.seen.stdout.split('\n').at(-2), log(directory)]).toEqual([
    'two.',
    ['slow', 'child', 'child'],
  ]);
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('a change during a run ends it and starts the next one', async () => {
  const workflow = (seconds: number) =>
    `steps:\n  - run: [sh, -c, 'echo first >> log; cat']\n  - run: [sh, -c, 'echo begun >> log; sleep ${seconds}; cat']\n`;
  const directory = directoryWith({ 'w.yml': workflow(60), log: '' });
  const running = startLait(directory, ['run', 'w.yml', 'text', '--watch']);
  await until(() => log(directory).includes('begun'));
  writeFileSync(join(directory, 'w.yml'), workflow(0));
  await until(() => rounds(running) === 1);
  expect([running.seen.stdout, log(directory)]).toEqual(['text\n', ['first', 'begun', 'begun']]);
  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('a wrong command line is said at once', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - jq: .\n' });
  const missing = await lait(directory, ['run', 'w.yml', '--watch']);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('needs a prompt')]);
  expect((await lait(directory, ['run', 'none.yml', '--watch'])).code).toBe(2);
  expect((await lait(directory, ['run', 'w.yml', 'x', '--watch', '--dry-run'])).code).toBe(2);
});
