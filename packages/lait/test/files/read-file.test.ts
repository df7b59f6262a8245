import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTextFile } from '../../src/files/read-file.js';

const directory = await mkdtemp(join(tmpdir(), 'lait-files-'));
const path = (name: string) => join(directory, name);

test('text of any language comes back unchanged, without a byte order mark', async () => {
  await writeFile(path('a.txt'), '\uFEFFこんにちは 👋\r\n');
  expect(await readTextFile(path('a.txt'))).toBe('こんにちは 👋\r\n');
});

test('errors name the path and the reason', async () => {
  await writeFile(path('latin1.txt'), Buffer.from([0x66, 0xfc, 0x72]));
  await writeFile(path('big.txt'), 'x'.repeat(11));
  await expect(readTextFile(path('none.txt'))).rejects.toMatchObject({
    code: 'file_not_found',
    message: `cannot read ${path('none.txt')}: no such file`,
  });
  await expect(readTextFile(directory)).rejects.toMatchObject({ code: 'file_unreadable' });
  await expect(readTextFile(path('latin1.txt'))).rejects.toMatchObject({ code: 'file_not_utf8' });
  await writeFile(path('second.txt'), Buffer.concat([Buffer.from('本文\nna'), Buffer.from([0xef, 0x0a])]));
  await expect(readTextFile(path('second.txt'))).rejects.toThrow('line 2 holds other bytes');
  await writeFile(path('utf16.txt'), Buffer.from('\ufefftext', 'utf16le'));
  await expect(readTextFile(path('utf16.txt'))).rejects.toThrow('it is UTF-16');
  await expect(readTextFile(path('big.txt'), { maxBytes: 10 })).rejects.toMatchObject({
    code: 'file_too_large',
  });
  await expect(readTextFile('a\0b')).rejects.toMatchObject({ code: 'file_unreadable' });
});

test('a named pipe is read to its end, and refused where nothing runs', async () => {
  execFileSync('mkfifo', [path('pipe')]);
  const reading = readTextFile(path('pipe'));
  await appendFile(path('pipe'), 'through the pipe');
  expect(await reading).toBe('through the pipe');
  await expect(readTextFile(path('pipe'), { pipes: false })).rejects.toMatchObject({
    code: 'file_unreadable',
  });
});

test('reading a named pipe without a writer can be cancelled', async () => {
  execFileSync('mkfifo', [path('silent')]);
  const controller = new AbortController();
  const reading = readTextFile(path('silent'), { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await expect(reading).rejects.toMatchObject({ category: 'cancelled' });
});
