import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyCommands } from '../../src/models/key-command.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lait-key-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const variables = { PATH: process.env.PATH, WORD: 'from the environment' };
const never = new AbortController().signal;
const ran = async () => (await readFile(join(directory, 'ran'), 'utf8').catch(() => '')).length;

describe('api_key_cmd', () => {
  it('runs text through a shell and a list directly, and trims what comes', async () => {
    const keys = new KeyCommands();
    expect(await keys.key('echo "$WORD" | tr a-z A-Z; echo', variables, never)).toBe('FROM THE ENVIRONMENT');
    expect(await keys.key(['echo', '$WORD'], variables, never)).toBe('$WORD');
  });

  it('runs once, also when several ask at the same time', async () => {
    const keys = new KeyCommands();
    const command = `printf x >> '${directory}/ran'; echo key`;
    expect(await Promise.all([1, 2, 3].map(() => keys.key(command, variables, never)))).toEqual([
      'key',
      'key',
      'key',
    ]);
    await keys.key(command, variables, never);
    expect(await ran()).toBe(1);
  });

  it('does not keep failures', async () => {
    const keys = new KeyCommands();
    const command = `printf x >> '${directory}/ran'; test "$(wc -c < '${directory}/ran')" -gt 1 && echo key`;
    await expect(keys.key(command, variables, never)).rejects.toMatchObject({ code: 'key_command_failed' });
    expect(await keys.key(command, variables, never)).toBe('key');
  });

  it.each([
    ['nothing', 'true', /printed nothing/],
    ['white space', 'echo "  "', /printed nothing/],
    ['a failure', 'echo key; exit 3', /status 3/],
    ['a signal', 'kill -9 $$', /SIGKILL/],
    ['too much', 'head -c 70000 /dev/zero | tr "\\0" x; sleep 60', /64 KiB/],
    ['bytes that are no text', 'printf "\\377"', /UTF-8/],
    ['no program', ['/does/not/exist'], /could not be started/],
  ])('refuses %s', async (_, command, message) => {
    const failure = await new KeyCommands().key(command, variables, never).catch((error) => error);
    expect(failure).toMatchObject({ code: 'key_command_failed', category: 'definition' });
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toContain('key;');
  });

  it('is ended with everything it started when nobody waits for it any more', async () => {
    const controller = new AbortController();
    const command = `(sleep 1; printf x >> '${directory}/ran') & echo started >> '${directory}/started'; wait; echo key`;
    const waiting = new KeyCommands().key(command, variables, controller.signal);
    await expect
      .poll(() => readFile(join(directory, 'started'), 'utf8').catch(() => ''), { timeout: 10_000 })
      .not.toBe('');
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await ran()).toBe(0);
  });
});
