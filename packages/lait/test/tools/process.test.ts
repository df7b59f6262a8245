import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CancelledError } from '../../src/errors/errors.js';
import { endOfOutput, processFailure, type RunOptions, runProcess } from '../../src/tools/process.js';
import { killRegisteredTrees } from '../../src/tools/process-tree.js';
import { decodeUtf8 } from '../../src/values/utf8.js';
import { processesWith, testVariables, uniqueSleep, until } from './processes.js';

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'lait-process-')));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function run(command: readonly string[], options: RunOptions & { cwd?: string; env?: object } = {}) {
  const { cwd, env = testVariables, ...rest } = options;
  return runProcess(
    { command, environment: { ...env }, baseDirectory: directory, workingDirectory: cwd },
    rest,
  );
}
const text = async (...input: Parameters<typeof run>) => (await run(...input)).stdout.toString();

describe('running a program', () => {
  it('[tools.no-shell] hands every argument over as it is', async () => {
    const arguments_ = ['a b', '$HOME', ';touch x', '`id`', '', '日本語🍵', '*'];
    expect(await text(['printf', '<%s>', ...arguments_])).toBe(
      arguments_.map((each) => `<${each}>`).join(''),
    );
  });

  it('writes standard input and closes it', async () => {
    expect(await text(['cat'], { stdin: 'お茶 🍵\n' })).toBe('お茶 🍵\n');
  });

  it('does not mind a program that leaves its input unread', async () => {
    expect(await text(['true'], { stdin: 'x'.repeat(5_000_000) })).toBe('');
  });

  it('reads and writes large data at the same time', async () => {
    const stdin = 'abcdefgh'.repeat(1_000_000);
    expect(await text(['cat'], { stdin })).toBe(stdin);
  });

  it('refuses input that has no UTF-8 form', async () => {
    await expect(run(['cat'], { stdin: 'ab\ud800' })).rejects.toMatchObject({ code: 'text_not_encodable' });
  });

  it('reports the exit status, the signal and both streams', async () => {
    const failed = await run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(failed).toMatchObject({ exitCode: 3, signal: null });
    expect([failed.stdout.toString(), failed.stderr.toString()]).toEqual(['out\n', 'err\n']);
    expect(await run(['sh', '-c', 'kill -KILL $$'])).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  it('runs in the working directory but finds programs from the base directory', async () => {
    await writeFile(path.join(directory, 'tool.sh'), '#!/bin/sh\npwd; echo "$0"\n');
    await chmod(path.join(directory, 'tool.sh'), 0o755);
    expect(await text(['./tool.sh'], { cwd: '/' })).toContain('/\n');
    expect(await text(['pwd'], { cwd: directory })).toBe(`${directory}\n`);
  });

  it('gives the program exactly the variables of its environment', async () => {
    expect(await text(['/usr/bin/env'], { env: { A: '1', NOTHING: undefined } })).toBe('A=1\n');
  });
});

describe('a program that cannot be started', () => {
  const cases: [string, readonly string[], object, RegExp][] = [
    ['an unknown name', ['no-such-program-x'], {}, /'no-such-program-x'.*not found in PATH/],
    ['an unknown path', ['./no/such'], {}, /'\.\/no\/such'.*no executable file/],
    ['a bare name without PATH', ['sh', '-c', ':'], { env: { A: '1' } }, /no PATH/],
    ['a blank program', [' '], {}, /program to run is empty/],
    ['no program', [], {}, /program to run is empty/],
    ['a NUL byte', ['echo', 'a\0b'], {}, /argument 1 holds a NUL byte/],
    ['half a surrogate pair', ['echo', '\udc00'], {}, /surrogate/],
    ['a variable that is no name', ['/usr/bin/env'], { env: { 'A=B': '1' } }, /'A=B' is no name/],
    ['a missing directory', ['true'], { cwd: 'nowhere' }, /nowhere' does not exist/],
    ['a directory as program', ['/'], {}, /no executable file/],
    ['too long arguments', ['echo', 'x'.repeat(3_000_000)], {}, /too long/],
  ];
  it.each(cases)('[tools.start-errors-say-why] says why: %s', async (_, command, options, message) => {
    await expect(run(command, options)).rejects.toThrow(message);
  });

  it('names a missing interpreter', async () => {
    await writeFile(path.join(directory, 'odd.sh'), '#!/no/such/interpreter\n', { mode: 0o755 });
    await expect(run(['./odd.sh'])).rejects.toThrow(/interpreter/);
  });

  it('does not start anything once cancelled', async () => {
    const signal = AbortSignal.abort(new CancelledError());
    await expect(run(['touch', 'started.txt'], { signal })).rejects.toThrow('cancelled');
    await expect(readFile(path.join(directory, 'started.txt'))).rejects.toThrow('ENOENT');
  });
});

describe('ending a process tree', () => {
  const trees: [string, (sleep: string) => string][] = [
    ['children', (sleep) => `sleep ${sleep}`],
    ['grandchildren in the background', (sleep) => `(sleep ${sleep} & sleep ${sleep}) & sleep ${sleep}`],
    ['a tree that ignores TERM', (sleep) => `trap '' TERM; sleep ${sleep} & sleep ${sleep}; sleep ${sleep}`],
    ['a descendant in a session of its own', (sleep) => `setsid sleep ${sleep} & sleep ${sleep}`],
    ['a daemon that ignores TERM', (sleep) => `trap '' TERM; setsid sleep ${sleep} & sleep ${sleep}`],
    ['output that never ends', (sleep) => `yes ${sleep}`],
  ];
  it.each(trees)('[tools.process-tree-ended] on cancellation: %s', async (_, script) => {
    const sleep = uniqueSleep();
    const controller = new AbortController();
    const reason = new CancelledError({ message: 'enough' });
    const running = run(['sh', '-c', `${script(sleep)}; : ${sleep}`], {
      signal: controller.signal,
      maxStreamBytes: Number.POSITIVE_INFINITY,
    });
    await until(() => processesWith(sleep).length >= 2);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(processesWith(sleep)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    '[tools.process-tree-ended] on cancellation: a daemon that left the tree, and none of another step',
    async () => {
      const [own, other] = [uniqueSleep(), uniqueSleep()];
      const daemon = (sleep: string) => `(setsid sh -c 'trap "" TERM; sleep ${sleep}; :' &)`;
      const env = (last: string) => ({
        ...testVariables,
        LAIT_IDEMPOTENCY_KEY: `0f0e0d0c-0b0a-8908-9706-05040302010${last}`,
      });
      await run(['sh', '-c', `${daemon(other)} > /dev/null 2>&1`], { env: env('1') });
      const controller = new AbortController();
      const running = run(['sh', '-c', `${daemon(own)}; sleep ${own}`], {
        signal: controller.signal,
        env: env('2'),
      });
      await until(() => processesWith(own).length >= 4 && processesWith(other).length >= 2);
      controller.abort(new CancelledError());
      await expect(running).rejects.toThrow('cancelled');
      expect(processesWith(own)).toEqual([]);
      const left = processesWith(other);
      expect(left.length).toBeGreaterThanOrEqual(2);
      for (const pid of left) process.kill(pid, 'SIGKILL');
    },
  );

  it('lets a program clean up before it is killed', async () => {
    const controller = new AbortController();
    const mark = path.join(directory, 'cleaned');
    const ready = path.join(directory, 'ready');
    const script = `trap 'echo done > ${mark}; exit' TERM; touch ${ready}; while :; do sleep 0.05; done`;
    const running = run(['sh', '-c', script], { signal: controller.signal });
    await until(() => execFileSync('ls', [directory], { encoding: 'utf8' }).includes('ready'));
    controller.abort();
    await expect(running).rejects.toThrow();
    expect(await readFile(mark, 'utf8')).toBe('done\n');
  });

  it('[tools.output-limit] stops a program that prints too much, its children included', async () => {
    const sleep = uniqueSleep();
    const script = `sleep ${sleep} & head -c 100000000 /dev/zero; sleep ${sleep}`;
    await expect(run(['sh', '-c', script])).rejects.toMatchObject({ code: 'output_too_large' });
    expect(processesWith(sleep)).toEqual([]);
    await expect(run(['sh', '-c', 'echo 12345 >&2'], { maxStreamBytes: 5 })).rejects.toThrow(
      /standard error/,
    );
    expect(await text(['printf', '12345'], { maxStreamBytes: 5 })).toBe('12345');
  });
});

describe('background processes', () => {
  it('waits for output of the group that comes after the program has ended', async () => {
    expect(await text(['sh', '-c', '(sleep 0.7; echo late) & echo early'])).toBe('early\nlate\n');
  });

  it('does not wait for a daemon that left the group and holds the output open', async () => {
    const sleep = uniqueSleep();
    expect(await text(['sh', '-c', `setsid sleep ${sleep} & echo done`])).toBe('done\n');
    for (const pid of processesWith(sleep)) process.kill(pid, 'SIGKILL');
  });

  it('[tools.no-orphans] ends what was left in the background when this process ends', async () => {
    const sleep = uniqueSleep();
    await run(['sh', '-c', `sleep ${sleep} >/dev/null 2>&1 </dev/null &`]);
    expect(processesWith(sleep)).toHaveLength(1);
    expect(process.listeners('exit')).toContain(killRegisteredTrees);
    killRegisteredTrees();
    await until(() => processesWith(sleep).length === 0);
  });
});

describe('messages about programs', () => {
  it('carry the end of standard error without terminal controls', async () => {
    const result = await run([
      'sh',
      '-c',
      'printf "\\033[31mred\\033[0m \\033]0;title\\007\\001text\\377\\n" >&2; exit 2',
    ]);
    expect(processFailure('sh', result).message).toBe("'sh' ended with status 2: red text\ufffd");
    expect(endOfOutput(Buffer.from(`${'x'.repeat(9000)}end`), 100)).toBe(
      `[8903 bytes left out] ${'x'.repeat(97)}end`,
    );
  });

  it('say so when nothing was printed', async () => {
    expect(processFailure('false', await run(['false'])).message).toBe(
      "'false' ended with status 1 and printed nothing to standard error",
    );
  });

  it('refuse output that is not UTF-8 and keep a byte order mark', () => {
    expect(() => decodeUtf8(Buffer.from([0x61, 0xff]), 'the output')).toThrow(
      'the output is not valid UTF-8',
    );
    expect(decodeUtf8(Buffer.from('\ufeffa'), 'the output')).toBe('\ufeffa');
  });
});
