import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Output } from '../../src/cli/output.js';
import { Terminal } from '../../src/cli/terminal.js';
import type { Question } from '../../src/engine/question.js';
import { directoryWith, lait, startLait, until } from './run-lait.js';

const { signal } = new AbortController();

function person() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  const error = new PassThrough().on('data', (chunk) => {
    shown += chunk;
  });
  const output = new Output(
    new PassThrough(),
    error,
    (text) => text,
    () => {},
  );
  return { input, terminal: new Terminal({ input, output }), shown: () => shown };
}

const question = (text: string, more: Partial<Question> = {}): Question => ({ type: 'text', text, ...more });

test('a line is the answer, and what was typed behind it answers the next question', async () => {
  const { input, terminal, shown } = person();
  input.write('はい 👋\r\nsecond\nrest');
  const answers = await Promise.all([
    terminal.answer(question('Really?', { choices: ['a', 'b'] }), signal),
    terminal.answer(question('And?'), signal),
  ]);
  expect(answers).toEqual(['はい 👋', 'second']);
  expect(shown()).toBe('Really? [a / b]\n> And?\n> ');
  const last = terminal.answer(question('Last?'), signal);
  input.end();
  expect(await last).toBe('rest');
  await expect(terminal.answer(question('More?'), signal)).rejects.toMatchObject({ code: 'no_answer' });
});

test('multiline reads to the end of input, whatever the chunks are', async () => {
  const { input, terminal } = person();
  const answer = terminal.answer(question('Notes?', { multiline: true }), signal);
  for (const byte of Buffer.from('一行目\nsecond\n')) input.write(Buffer.from([byte]));
  input.end();
  expect(await answer).toBe('一行目\nsecond\n');
});

test('approval asks again until the answer is one of y, n and a', async () => {
  const { input, terminal, shown } = person();
  input.write('maybe\nY\nno\nalways\n');
  const replies = [];
  for (let count = 0; count < 3; count += 1) replies.push(await terminal.approve('run x?', signal));
  expect(replies).toEqual(['yes', 'no', 'always']);
  expect(shown()).toContain("answer with 'y', 'n' or 'a'");
});

test('a question is given up when the run is cancelled', async () => {
  const { terminal } = person();
  const controller = new AbortController();
  const answer = terminal.answer(question('Wait?'), controller.signal);
  controller.abort(new Error('stopped'));
  await expect(answer).rejects.toThrow('stopped');
});

test.each([
  ['/dev/null', undefined],
  ['a pipe that stays open', 'open'],
] as const)('[cli.no-terminal] with %s nothing is asked', async (_, stdin) => {
  const directory = directoryWith({
    'default.yml': 'steps:\n  - ask: "ok?"\n    default: "yes"\n',
    'none.yml': 'steps:\n  - id: q\n    ask: "ok?"\n',
  });
  const args = (file: string) => ['run', file, 'x', '--no-stdin'];
  const answered = startLait(directory, args('default.yml'), { stdin, env: { CI: '1' } });
  expect(await answered.ended).toMatchObject({ code: 0, stdout: 'yes\n' });
  const failed = await startLait(directory, args('none.yml'), { stdin }).ended;
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr.trimEnd().split('\n').at(-1)).toMatch(/^lait: steps\[0\] \(id 'q'\).*default/);
});

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasScript)(
  'on a real terminal the live view makes room for a question and leaves the lines',
  async () => {
    const directory = directoryWith({
      'w.yml':
        'steps:\n  - id: wait\n    run: [sh, -c, "sleep 0.4; echo done"]\n  - id: q\n    ask: "go on?"\n  - id: end\n    jq: .\n',
    });
    const command = `${process.execPath} ${launcher} run w.yml 日本 >out.txt`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', HOME: directory, TERM: 'xterm', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => screen.includes('go on?'));
    expect(screen).toMatch(/⠋ \[1\] wait · \d\.\ds/);
    child.stdin.write('はい\n');
    expect(await ended).toBe(0);
    expect(existsSync(join(directory, 'out.txt')) && readFileSync(join(directory, 'out.txt'), 'utf8')).toBe(
      'はい\n',
    );
    for (const line of ['==> w.yml', '[1] wait', '[2] q', '[3] end']) expect(screen).toContain(`${line}\r\n`);
    expect(screen).not.toContain('\u001b[2m');
  },
);

test('--progress plain and --quiet', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - jq: .\n' });
  expect(await lait(directory, ['run', 'w.yml', 'x', '--progress', 'plain'])).toMatchObject({
    stderr: '==> w.yml\n[1] step-1 (jq)\n',
  });
  expect(await lait(directory, ['run', 'w.yml', 'x', '-q'])).toMatchObject({ stdout: 'x\n', stderr: '' });
});

test('a character that arrives in two halves is written whole, and half of one stays valid UTF-8', async () => {
  const out = new PassThrough();
  const output = new Output(
    out,
    new PassThrough(),
    (text) => text,
    () => {},
  );
  for (const text of ['a\uD83D', '\uDE00', '本\uD83D', '', 'x\uD83D']) await output.write(text);
  await output.flush();
  expect((out.read() as Buffer).toString('utf8')).toBe('a😀本\uFFFDx\uFFFD');
});

test('half of a character in a result is valid JSON with --json', async () => {
  const directory = directoryWith({ 'w.yml': 'inputs: { k: {} }\nsteps:\n  - jq: $inputs.k\n' });
  for (const [given, content] of [
    ['"a\\ud800本"', 'a\ud800本'],
    ['{"k":"\\udc00"}', '{"k":"\\udc00"}'],
  ]) {
    const { stdout } = await lait(directory, ['run', 'w.yml', 'x', '--input', `k=${given}`, '--json']);
    expect(stdout).not.toContain('\uFFFD');
    expect(JSON.parse(stdout).content).toBe(content);
  }
});
