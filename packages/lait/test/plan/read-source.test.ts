import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DefinitionError } from '../../src/errors/errors.js';
import { readSourceFile } from '../../src/plan/read-source.js';

let directory: string;
const at = (name: string) => path.join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'lait-source-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('readSourceFile', () => {
  it('gives the text without a byte order mark, under the name it was asked for', async () => {
    await writeFile(at('ok.yml'), '\ufeffsteps: 日本');
    expect(await readSourceFile(at('ok.yml'))).toEqual({ file: at('ok.yml'), text: 'steps: 日本' });
  });

  it.each<[string, string, (file: string) => Promise<unknown>]>([
    ['a missing file', 'file_not_found', async () => {}],
    ['a directory', 'file_unreadable', (file) => mkdir(file)],
    [
      'a file over 16 MiB',
      'file_too_large',
      (file) => writeFile(file, Buffer.alloc(16 * 1024 * 1024 + 1, 32)),
    ],
    ['invalid UTF-8', 'file_not_utf8', (file) => writeFile(file, Buffer.from([0x61, 0xff]))],
    ['a surrogate in bytes', 'file_not_utf8', (file) => writeFile(file, Buffer.from([0xed, 0xa0, 0x80]))],
    ['UTF-16', 'file_not_utf8', (file) => writeFile(file, Buffer.from('\ufeffsteps:', 'utf16le'))],
  ])('refuses %s as a wrong definition that names the file', async (what, code, make) => {
    const file = at(`${what}.yml`);
    await make(file);
    const reading = readSourceFile(file);
    await expect(reading).rejects.toBeInstanceOf(DefinitionError);
    await expect(reading).rejects.toMatchObject({ code, category: 'definition', diagnostics: [{ code }] });
    await expect(reading).rejects.toThrow(file);
  });

  it.skipIf(process.platform === 'win32')(
    'waits for a pipe only until it is cancelled, or not at all',
    async () => {
      execFileSync('mkfifo', [at('pipe.yml')]);
      await expect(readSourceFile(at('pipe.yml'), { pipes: false })).rejects.toMatchObject({
        code: 'file_unreadable',
      });
      const controller = new AbortController();
      const reading = readSourceFile(at('pipe.yml'), { signal: controller.signal });
      controller.abort();
      await expect(reading).rejects.toMatchObject({ category: 'cancelled' });
    },
  );
});
