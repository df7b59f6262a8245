import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readPrompt } from '../../src/cli/read-prompt.js';

function read(
  argument: string | undefined,
  piped: string | Buffer | null,
  options: { tty?: boolean; stdin?: boolean } = {},
) {
  const stdin: Readable & { isTTY?: boolean } = Readable.from(piped === null ? [] : [Buffer.from(piped)]);
  if (options.tty === true) stdin.isTTY = true;
  return readPrompt({
    argument,
    stdin,
    readStdin: options.stdin ?? true,
    signal: new AbortController().signal,
    onSilence: () => {},
  });
}

test.each([
  ['the argument alone', 'text', null, 'text'],
  ['piped text alone, without its last line break', undefined, 'piped\n', 'piped'],
  ['only one line break is dropped', undefined, 'piped\r\n\r\n', 'piped\r\n'],
  ['both joined by a blank line', 'ask', '日本 👋\n', 'ask\n\n日本 👋'],
  ['- for standard input', '-', 'piped', 'piped'],
  ['empty piped text counts as nothing', 'ask', '\n', 'ask'],
  ['nothing at all', undefined, '', undefined],
  ['- with nothing', '-', '', undefined],
  ['an empty argument is a prompt', '', '', ''],
] as const)('%s', async (_, argument, piped, expected) => {
  expect(await read(argument, piped)).toBe(expected);
});

test('a terminal is read for - only', async () => {
  expect(await read('ask', 'typed', { tty: true })).toBe('ask');
  expect(await read(undefined, 'typed', { tty: true })).toBeUndefined();
  expect(await read('-', 'typed', { tty: true })).toBe('typed');
});

test('--no-stdin leaves it unread and excludes -', async () => {
  expect(await read('ask', 'piped', { stdin: false })).toBe('ask');
  await expect(read('-', 'piped', { stdin: false })).rejects.toMatchObject({ category: 'usage' });
});

test('piped bytes that are no UTF-8 are refused', async () => {
  await expect(read(undefined, Buffer.from([0xff, 0xfe]))).rejects.toMatchObject({ code: 'file_not_utf8' });
});

test('waiting can be cancelled', async () => {
  const controller = new AbortController();
  const stdin = new Readable({ read() {} });
  const reading = readPrompt({ stdin, readStdin: true, signal: controller.signal, onSilence: () => {} });
  setTimeout(() => controller.abort(new Error('stopped')), 20);
  await expect(reading).rejects.toThrow('stopped');
});
