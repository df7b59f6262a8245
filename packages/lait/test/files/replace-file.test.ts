import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../../src/files/files-below.js';
import { replaceFile } from '../../src/files/replace-file.js';
import { writeFileAtomically } from '../../src/files/write-file.js';

const directory = await mkdtemp(join(tmpdir(), 'lait-replace-'));
const path = (...names: string[]) => join(directory, ...names);

test('pieces become one file behind each other', async () => {
  const pieces = ['{"a":', '"本文 🍣"', '}'].map((text) => Buffer.from(text));
  await replaceFile(path('pieces.json'), pieces);
  expect(await readFile(path('pieces.json'), 'utf8')).toBe('{"a":"本文 🍣"}');
  expect((await stat(path('pieces.json'))).mode & 0o777).toBe(0o600);
});

test('directories are made only when that is wanted, for their owner alone', async () => {
  const target = path('state', 'runs', 'x.json');
  const temporary = path('state', 'tmp', 'x.json');
  const missing = { code: 'file_unwritable', message: expect.stringContaining('directory does not exist') };
  await expect(replaceFile(target, 'x', { temporary })).rejects.toMatchObject(missing);
  await replaceFile(target, 'x', { temporary, makeDirectories: true, syncDirectory: true });
  expect(await readFile(target, 'utf8')).toBe('x');
  expect((await stat(path('state', 'runs'))).mode & 0o777).toBe(0o700);
  expect(await readdir(path('state', 'tmp'))).toEqual([]);
});

test('what a killed writer left behind is not in the way', async () => {
  await writeFile(path('left.tmp'), 'half', { mode: 0o666 });
  await replaceFile(path('left.json'), 'whole', { temporary: path('left.tmp') });
  expect(await readFile(path('left.json'), 'utf8')).toBe('whole');
  expect((await stat(path('left.json'))).mode & 0o777).toBe(0o600);
});

test('an exclusive write replaces nothing and leaves nothing', async () => {
  await mkdir(path('exclusive'));
  await replaceFile(path('exclusive', 'a'), 'first', { exclusive: true });
  await expect(replaceFile(path('exclusive', 'a'), 'second', { exclusive: true })).rejects.toMatchObject({
    code: 'file_unwritable',
    details: { errno: 'EEXIST' },
  });
  expect(await readFile(path('exclusive', 'a'), 'utf8')).toBe('first');
  expect(await readdir(path('exclusive'))).toEqual(['a']);
});

test('a replaced file keeps permissions that the umask would take away, and a long name is no problem', async () => {
  const name = path('n'.repeat(250));
  await writeFile(name, 'old');
  await chmod(name, 0o666);
  await writeFileAtomically(name, 'new');
  expect((await stat(name)).mode & 0o777).toBe(0o666);
});

test('a walk passes over hidden entries and installed packages, and names what it cannot read', async () => {
  for (const name of ['.git', 'node_modules', 'target', 'b']) {
    await mkdir(path('walk', name), { recursive: true });
    await writeFile(path('walk', name, 'x.yml'), '');
  }
  await writeFile(path('walk', 'a.yml'), '');
  await writeFile(path('walk', 'c.txt'), '');
  const found = await filesBelow(path('walk'), (file) => file.endsWith('.yml'));
  expect(found).toEqual([path('walk', 'a.yml'), path('walk', 'b', 'x.yml')]);
  await expect(filesBelow(path('walk', 'c.txt'), () => true)).rejects.toMatchObject({
    code: 'file_unreadable',
    message: expect.stringContaining('c.txt'),
  });
});
