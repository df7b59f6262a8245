import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileRead } from '../../src/capabilities/built-in/file-read.js';
import { fileWrite } from '../../src/capabilities/built-in/file-write.js';
import type { CapabilityContext } from '../../src/kinds/services.js';
import type { JsonObject } from '../../src/values/value.js';

const context = { signal: new AbortController().signal } as CapabilityContext;
let directory: string;
let root: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lait-files-'));
  root = join(directory, 'vault');
  await mkdir(root);
  await writeFile(join(directory, 'outside.txt'), 'secret');
});

const environment = { variables: {}, workingDirectory: '/' };
const read = (relative_path: string, settings = {}) =>
  fileRead('file_read', { root, ...settings }, environment).execute({ relative_path }, context);
const write = (inputs: JsonObject) => fileWrite('file_write', { root }, environment).execute(inputs, context);

describe('files', () => {
  it('are written whole, with their directories, and read back', async () => {
    const content = '日本語🎉\n';
    expect(await write({ relative_path: 'notes/2026/a.md', content })).toEqual({
      status: 'succeeded',
      output: {
        relative_path: 'notes/2026/a.md',
        bytes_written: Buffer.byteLength(content),
        overwritten: false,
      },
      effects: ['file_written'],
    });
    expect(await read('notes/2026/a.md')).toMatchObject({
      output: { relative_path: 'notes/2026/a.md', content },
    });
    expect(await readdir(join(root, 'notes/2026'))).toEqual(['a.md']);
  });

  it('are kept unless overwrite is set; the same content counts as written', async () => {
    await write({ relative_path: 'a.md', content: 'one' });
    expect(await write({ relative_path: 'a.md', content: 'one' })).toMatchObject({
      status: 'succeeded',
      output: { overwritten: false },
    });
    await expect(write({ relative_path: 'a.md', content: 'two' })).rejects.toMatchObject({
      code: 'file_exists',
    });
    expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('one');
    expect(await write({ relative_path: 'a.md', content: 'two', overwrite: true })).toMatchObject({
      output: { overwritten: true },
    });
    expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('two');
  });

  it.each([
    '../outside.txt',
    'a/../../outside.txt',
    '/etc/passwd',
    'C:\\x',
    '\\\\server\\x',
    '..\\outside.txt',
    '',
    'a\0b',
    'dir/',
    '.',
  ])('never leave their root through %j [capability.files-confined]', async (path) => {
    await expect(read(path)).rejects.toMatchObject({ code: 'path_refused' });
    await expect(write({ relative_path: path, content: 'x', overwrite: true })).rejects.toMatchObject({
      code: 'path_refused',
    });
    expect(await readFile(join(directory, 'outside.txt'), 'utf8')).toBe('secret');
  });

  it('never leave their root through links', async () => {
    await symlink(directory, join(root, 'up'));
    await symlink(join(directory, 'outside.txt'), join(root, 'link.txt'));
    for (const path of ['up/outside.txt', 'up/new/x.txt', 'link.txt']) {
      await expect(read(path)).rejects.toMatchObject({ code: 'path_refused' });
      await expect(write({ relative_path: path, content: 'x', overwrite: true })).rejects.toMatchObject({
        code: 'path_refused',
      });
    }
    expect(await readFile(join(directory, 'outside.txt'), 'utf8')).toBe('secret');
    expect(await readdir(directory)).toEqual(['outside.txt', 'vault']);
  });

  it('are read up to a size, as UTF-8, and only when they are files', async () => {
    await writeFile(join(root, 'big'), 'x'.repeat(100));
    await writeFile(join(root, 'latin'), Buffer.from([0xe9]));
    await expect(read('big', { max_bytes: 99 })).rejects.toMatchObject({ code: 'file_too_large' });
    await expect(read('latin')).rejects.toMatchObject({ code: 'file_not_utf8' });
    await expect(read('nothing')).rejects.toMatchObject({ code: 'file_not_found' });
    await mkdir(join(root, 'dir'));
    await expect(read('dir')).rejects.toMatchObject({ code: 'path_refused' });
  });

  it('need a root to be configured', async () => {
    await expect(
      fileRead('file_read', {}, environment).execute({ relative_path: 'a' }, context),
    ).rejects.toMatchObject({ code: 'file_root_missing' });
  });
});
