import { existsSync } from 'node:fs';
import { mkdtemp, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/files/make-directory.js';

const directory = await mkdtemp(join(tmpdir(), 'lait-files-'));
const path = (...names: string[]) => join(directory, ...names);

test('directories are made with what is missing above them, also by several at the same time', async () => {
  await Promise.all(Array.from({ length: 8 }, () => makeDirectory(path('a', 'b', 'c'), 0o700)));
  await makeDirectory(path('a', 'b', 'c'));
  for (const made of [path('a'), path('a', 'b'), path('a', 'b', 'c')])
    expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test('what stands in the way is told', async () => {
  await writeFile(path('file'), '');
  await symlink('nowhere', path('dangling'));
  await expect(makeDirectory(path('file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(path('file', 'x', 'y'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(makeDirectory(path('dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(path('dangling', 'x'))).rejects.toMatchObject({ code: 'EEXIST' });
});

test.skipIf(!existsSync('/proc/self'))(
  'where nothing can be made that is an error, no endless loop',
  async () => {
    await expect(makeDirectory('/proc/nope/deep/er')).rejects.toMatchObject({
      code: 'ENOTSUP',
      message: 'no directory can be made in /proc',
    });
  },
);
