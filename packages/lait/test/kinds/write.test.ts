import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageChain } from '../../src/errors/lait-error.js';
import { constant } from '../../src/expressions/constant.js';
import { writeKind } from '../../src/kinds/write.js';
import type { Value } from '../../src/values/value.js';
import { runStep } from './run-step.js';

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'lait-write-')));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const at = (file: string) => path.join(directory, file);
const write = (file: string, input: Value, timeoutSeconds?: number) =>
  runStep(writeKind, { write: constant(file, file) }, { input, workingDirectory: directory, timeoutSeconds });
const failure = async (...input: Parameters<typeof write>) =>
  messageChain(await write(...input).catch((error) => error));

describe('write', () => {
  it.each([
    ['text', '日本語🍵\n\n', '日本語🍵\n\n'],
    ['empty text', '', ''],
    ['an object', { k: 'v' }, '{"k":"v"}'],
    ['null', null, 'null'],
  ])('stores the text form exactly and passes the value on: %s', async (_, input, expected) => {
    expect(await write('out.txt', input)).toEqual(input);
    expect(await readFile(at('out.txt'), 'utf8')).toBe(expected);
  });

  it('[tools.write-in-place] keeps inode, permissions and the target of a symbolic link', async () => {
    await writeFile(at('real.txt'), 'a much longer text than before');
    await chmod(at('real.txt'), 0o640);
    await symlink('real.txt', at('link.txt'));
    const before = await stat(at('real.txt'));
    await write('link.txt', 'new');
    const after = await stat(at('real.txt'));
    expect(await readFile(at('real.txt'), 'utf8')).toBe('new');
    expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
    expect(await realpath(at('link.txt'))).toBe(at('real.txt'));
  });

  it('says what is wrong with the path', async () => {
    await mkdir(at('folder'));
    expect(await failure('missing/dir/a.txt', 'x')).toMatch(
      /'missing\/dir\/a.txt'.*'missing\/dir' does not exist/,
    );
    expect(await failure('folder', 'x')).toContain("cannot write 'folder': it is a directory");
    expect(await failure('new/', 'x')).toContain("cannot write 'new/': it names a directory");
    expect(await failure(' ', 'x')).toContain('the path is empty');
    expect(await failure('a\0b', 'x')).toContain("cannot write 'a\\0b'");
    expect(await failure('out.txt/a', 'x')).toContain('not a directory');
  });

  it('leaves a file alone when the text has no UTF-8 form', async () => {
    await write('kept.txt', 'kept');
    expect(await failure('kept.txt', 'a\ud800')).toContain('surrogate');
    expect(await readFile(at('kept.txt'), 'utf8')).toBe('kept');
  });

  it('writes to a named pipe that is read', async () => {
    execFileSync('mkfifo', [at('read')]);
    const text = 'abcdefgh'.repeat(50_000);
    const reading = readFile(at('read'), 'utf8');
    await write('read', text);
    expect(await reading).toBe(text);
  });

  it('[tools.write-obeys-timeout] gives up on a named pipe that nobody reads', async () => {
    execFileSync('mkfifo', [at('unread')]);
    const error = await write('unread', 'x', 1).catch((thrown) => thrown);
    expect(error).toMatchObject({ category: 'timeout' });
  });

  it('writes to devices', async () => {
    expect(await write('/dev/null', 'x')).toBe('x');
  });
});
