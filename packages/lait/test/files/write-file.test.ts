import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWritable, writeFileAtomically } from '../../src/files/write-file.js';

const directory = await mkdtemp(join(tmpdir(), 'lait-files-'));
const path = (...names: string[]) => join(directory, ...names);

test('a file is replaced whole; mode and link stay, no other file is left', async () => {
  await mkdir(path('kept'));
  await writeFile(path('kept', 'real.txt'), 'old');
  await chmod(path('kept', 'real.txt'), 0o640);
  await symlink('real.txt', path('kept', 'link.txt'));
  await writeFileAtomically(path('kept', 'link.txt'), '新しい');
  expect(await readFile(path('kept', 'real.txt'), 'utf8')).toBe('新しい');
  expect(await readlink(path('kept', 'link.txt'))).toBe('real.txt');
  expect((await stat(path('kept', 'real.txt'))).mode & 0o777).toBe(0o640);
  expect((await readdir(path('kept'))).sort()).toEqual(['link.txt', 'real.txt']);
});

test('a device is written to, not replaced', async () => {
  await writeFileAtomically('/dev/null', 'gone');
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
});

test('missing directories are made, for those who may read the file', async () => {
  await expect(checkWritable(path('a', 'b', 'x.txt'))).resolves.toBeUndefined();
  await writeFileAtomically(path('a', 'b', 'x.txt'), 'x');
  await writeFileAtomically(path('own', 'x.txt'), 'x', { mode: 0o600 });
  expect(await readFile(path('a', 'b', 'x.txt'), 'utf8')).toBe('x');
  expect((await stat(path('own'))).mode & 0o777).toBe(0o700);
});

test('errors name the path and leave nothing behind', async () => {
  const unwritable = { code: 'file_unwritable', message: expect.stringContaining('not a directory') };
  await writeFile(path('file'), '');
  await expect(writeFileAtomically(path('file', 'x.txt'), 'x')).rejects.toMatchObject(unwritable);
  await expect(checkWritable(path('file', 'x.txt'))).rejects.toMatchObject(unwritable);
  await expect(checkWritable(path('file', 'no', 'x.txt'))).rejects.toMatchObject(unwritable);
  await mkdir(path('dir'));
  await expect(writeFileAtomically(path('dir'), 'x')).rejects.toMatchObject({ code: 'file_unwritable' });
  await expect(checkWritable(path('dir'))).rejects.toMatchObject({ code: 'file_unwritable' });
  await expect(checkWritable(path('new.txt'))).resolves.toBeUndefined();
  expect(await readdir(path('dir'))).toEqual([]);
});
