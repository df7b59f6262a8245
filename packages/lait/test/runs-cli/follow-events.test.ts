import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FollowedLog } from '../../src/cli/runs/followed-log.js';
import { directoryWith, lait, startLait, until } from '../cli/run-lait.js';

const waiting = {
  'w.yml': `steps:
  - id: held
    run: [sh, -c, 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo 続く']
  - id: last
    ask: 'and then?'
`,
};

test('events are shown while the run works, until it waits, also as one JSON document per line', async () => {
  const directory = directoryWith(waiting);
  const run = startLait(directory, ['run', 'w.yml', 'x', '--park']);
  await until(() => existsSync(join(directory, 'started')));
  const following = startLait(directory, ['runs', 'events', 'latest', '--follow']);
  await until(() => following.seen.stdout.includes('held'));
  expect(following.child.exitCode).toBeNull();
  expect(following.seen.stdout).not.toContain('waiting_hitl');
  writeFileSync(join(directory, 'go'), '');
  expect((await run.ended).code).toBe(75);
  const { code, stdout } = await following.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('waiting_hitl');

  const whole = await lait(directory, ['runs', 'events', 'latest', '--json']);
  const lines = await lait(directory, ['runs', 'events', 'latest', '--follow', '--json']);
  expect(
    lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(JSON.parse(whole.stdout));
});

test('Ctrl-C ends the following, not the run; tokens are told by servers alone', async () => {
  const directory = directoryWith(waiting);
  const run = startLait(directory, ['run', 'w.yml', 'x', '--park']);
  await until(() => existsSync(join(directory, 'started')));
  const following = startLait(directory, ['runs', 'events', 'latest', '--follow']);
  await until(() => following.seen.stdout.includes('held'));
  following.child.kill('SIGINT');
  expect((await following.ended).code).toBe(130);
  const tokens = await lait(directory, ['runs', 'events', 'latest', '--follow', '--tokens']);
  expect([tokens.code, tokens.stderr]).toEqual([2, expect.stringContaining('--server')]);
  writeFileSync(join(directory, 'go'), '');
  expect((await run.ended).code).toBe(75);
});

test('replies stand under the name of their step and end before the next entry', async () => {
  let text = '';
  const log = new FollowedLog((more) => {
    text += more;
  }, false);
  const token = (label: string, text: string) => ({ type: 'model.token', address: label, label, text });
  await log.add(token('a', 'こん'));
  await log.add(token('a', 'にちは\u001b[2J'));
  await log.add(token('b', 'x'));
  await log.add({ type: 'model.tokens_skipped', characters: 7 });
  await log.add({ seq: 3, at: 'now', type: 'run_ended', payload: {} });
  await log.add(token('a', '👋'));
  await log.end();
  expect(text).toBe('a: こんにちは\\x1b[2J\nb: x\n… 7 characters are not shown\n3  now  run_ended\na: 👋\n');
});
