import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageChain } from '../../src/errors/lait-error.js';
import { constant } from '../../src/expressions/constant.js';
import { runKind } from '../../src/kinds/run.js';
import type { Value } from '../../src/values/value.js';
import { processesWith, uniqueSleep } from '../tools/processes.js';
import { runStep } from './run-step.js';

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'lait-run-')));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function run(
  command: readonly string[],
  options: {
    input?: Value;
    env?: Record<string, string>;
    cwd?: string;
    variables?: Record<string, string>;
    timeoutSeconds?: number;
  } = {},
) {
  const { env, cwd, ...rest } = options;
  const fields = { run: command.map((text) => constant(text, text)), env, cwd };
  return runStep(runKind, fields, { workingDirectory: directory, ...rest });
}
const failure = async (...input: Parameters<typeof run>) => messageChain(await run(...input).catch((e) => e));

describe('run', () => {
  it.each([
    ['a text as it is', 'お茶', 'お茶'],
    ['other values as compact JSON', { a: [1, null] }, '{"a":[1,null]}'],
    ['null as null', null, 'null'],
  ])('hands the input to standard input: %s', async (_, input, expected) => {
    expect(await run(['cat'], { input })).toBe(expected);
  });

  it.each([
    ['a\\n\\n', 'a\n'],
    ['a\\r\\n', 'a'],
    ['\\n', ''],
    ['a\\r', 'a\r'],
    ['a ', 'a '],
  ])('removes exactly one final line break: %j', async (printed, expected) => {
    expect(await run(['printf', printed])).toBe(expected);
  });

  it('fails with the status and what the program printed to standard error', async () => {
    expect(await failure(['sh', '-c', 'echo "disk is full" >&2; exit 3'])).toContain(
      "'sh' ended with status 3: disk is full",
    );
  });

  it('fails when the output is not UTF-8', async () => {
    expect(await failure(['printf', '\\377'])).toContain("the output of 'printf' is not valid UTF-8");
  });

  it('[tools.env-allow-list] shows the program only what env lists', async () => {
    const variables = { PATH: process.env.PATH!, SECRET: 's', PLAIN: 'p' };
    expect(await run(['/usr/bin/env'], { env: { GIVEN: 'v:${PLAIN}' }, variables })).toBe('GIVEN=v:p');
    expect(await failure(['sh', '-c', ':'], { env: { GIVEN: 'v' }, variables })).toContain('no PATH');
  });

  it('inherits everything without env and with an empty one', async () => {
    const variables = { PATH: process.env.PATH!, PLAIN: 'p' };
    for (const env of [undefined, {}]) {
      expect(await run(['sh', '-c', 'echo $PLAIN'], { env, variables })).toBe('p');
    }
  });

  it('[tools.idempotency-key] hands the key of the effect over, to an allow-list by name', async () => {
    const inherited = await run(['sh', '-c', 'echo $LAIT_IDEMPOTENCY_KEY']);
    expect(inherited).toMatch(/\S{8,}/);
    const env = { KEY: '${LAIT_IDEMPOTENCY_KEY}' };
    expect(await run(['/bin/sh', '-c', 'echo $KEY'], { env })).toMatch(/\S{8,}/);
  });

  it('names an unset variable and starts nothing', async () => {
    const env = { PATH: '${PATH}', A: '${NOT_SET_X}' };
    expect(await failure(['touch', 'started.txt'], { env })).toContain(
      'env.A: the environment variable NOT_SET_X',
    );
    expect(await failure(['pwd'], { cwd: '${NOT_SET_X}/a' })).toContain(
      'cwd: the environment variable NOT_SET_X',
    );
    expect(await run(['ls'])).not.toContain('started.txt');
  });

  it('runs in cwd, relative to the current directory', async () => {
    await mkdir(path.join(directory, 'inner'));
    const variables = { PATH: process.env.PATH!, TARGET: directory };
    expect(await run(['pwd'], { cwd: 'inner' })).toBe(path.join(directory, 'inner'));
    expect(await run(['pwd'], { cwd: '${TARGET}/inner', variables })).toBe(path.join(directory, 'inner'));
  });

  it('[tools.process-tree-ended] leaves no process behind after a timeout', async () => {
    const sleep = uniqueSleep();
    const script = `trap '' TERM; sleep ${sleep} & sleep ${sleep}`;
    const error = await run(['sh', '-c', script], { timeoutSeconds: 1 }).catch((thrown) => thrown);
    expect(error).toMatchObject({ category: 'timeout' });
    expect(processesWith(sleep)).toEqual([]);
  });

  it('finds a blank program and names that are none at load', () => {
    const fields = { run: [constant('  ', '  '), constant('', '')], env: { 'A=B': '1' } };
    expect(runKind.check!(fields).map(({ path }) => path)).toEqual([
      ['run', 0],
      ['env', 'A=B'],
    ]);
    expect(runKind.check!({ run: [constant('x', '{{ input }}')] })).toEqual([]);
  });
});
