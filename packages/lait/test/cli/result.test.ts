import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith, lait } from './run-lait.js';

test('[cli.output-atomic] -o writes the result whole, and a failed run leaves the file as it was', async () => {
  const directory = directoryWith({
    'ok.yml': 'steps:\n  - run: [printf, done]\n',
    'bad.yml': 'steps:\n  - run: ["false"]\n',
    'kept.txt': 'old',
  });
  expect(await lait(directory, ['run', 'ok.yml', 'x', '-o', 'new.txt'])).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(readFileSync(join(directory, 'new.txt'), 'utf8')).toBe('done\n');
  expect(await lait(directory, ['run', 'bad.yml', 'x', '--output', 'kept.txt'])).toMatchObject({
    code: 1,
    stdout: '',
  });
  expect(readFileSync(join(directory, 'kept.txt'), 'utf8')).toBe('old');
  expect(await lait(directory, ['run', 'bad.yml', 'x', '-o', 'never.txt'])).toMatchObject({ code: 1 });
  expect(readdirSync(directory).sort()).toEqual(['bad.yml', 'kept.txt', 'new.txt', 'ok.yml']);
  expect(await lait(directory, ['run', 'ok.yml', 'x', '-o', '-'])).toMatchObject({
    code: 0,
    stdout: 'done\n',
  });
});

test('a result and a trace that could not be written are refused before the first step', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [touch, ran.txt]\n', file: '' });
  for (const option of ['-o', '--trace-file']) {
    const { code, stderr } = await lait(directory, ['run', 'w.yml', 'x', option, 'file/new/x.txt']);
    expect([option, code]).toEqual([option, 1]);
    expect(stderr).toMatch(/cannot write .*file\/new\/x\.txt: a part of its path is not a directory/);
  }
  expect(existsSync(join(directory, 'ran.txt'))).toBe(false);
});

test('results and traces get the directories that they are named in', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [printf, done]\n' });
  const args = ['run', 'w.yml', 'x', '-o', 'results/1/out.txt', '--trace-file', 'traces/1/t.jsonl'];
  expect(await lait(directory, args)).toMatchObject({ code: 0 });
  expect(readFileSync(join(directory, 'results/1/out.txt'), 'utf8')).toBe('done\n');
  expect(existsSync(join(directory, 'traces/1/t.jsonl'))).toBe(true);
});

test.skipIf(!existsSync('/proc/self'))('a place where nothing can be made is told', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [printf, done]\n' });
  const args = ['run', 'w.yml', 'x', '--trace-file', '/proc/nope/x.jsonl'];
  const { code, stderr } = await lait(directory, args);
  expect(code).toBe(1);
  expect(stderr).toContain('cannot write /proc/nope/x.jsonl: no directory can be made in /proc');
});

test('[cli.broken-pipe] a reader that has gone is no failure', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [seq, "1", "200000"]\n' });
  const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
  const command = `${process.execPath} ${launcher} run w.yml x 2>err.txt </dev/null | head -1; echo "\${PIPESTATUS[0]}"`;
  const output = await new Promise<string>((resolve, reject) => {
    execFile('bash', ['-c', command], { cwd: directory }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
  expect(output).toBe('1\n0\n');
  expect(readFileSync(join(directory, 'err.txt'), 'utf8')).toBe('==> w.yml\n[1] step-1 (run)\n');
});

test.skipIf(!existsSync('/dev/full'))('a result that cannot be written is a failure', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - jq: .\n' });
  const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
  const command = `${process.execPath} ${launcher} run w.yml x >/dev/full </dev/null; echo $?`;
  const result = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', command], { cwd: directory }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(result).toMatch(/^1\n[\s\S]*\nlait: cannot write to standard output: no space is left\n$/);
});

test.skipIf(!existsSync('/dev/full'))('output that a full device does not take is no success', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - jq: .\n' });
  const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
  for (const args of [
    '--help',
    '--version',
    'run --help',
    'lint w.yml',
    'run w.yml x --json',
    'run w.yml x --stream',
  ]) {
    const command = `${process.execPath} ${launcher} ${args} >/dev/full </dev/null; echo $?`;
    const result = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', command], { cwd: directory }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    expect([args, result.split('\n')[0]]).toEqual([args, '1']);
    expect(result).toContain('lait: cannot write to standard output: no space is left');
    expect(result).not.toMatch(/^\s+at /m);
  }
});
