import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteArgument, quoteCommand, usualShell } from '../../src/cli/shell-quote.js';

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));

test('[cli.quoting] a POSIX shell reads every argument back unchanged', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (args) => {
      const script = `for a in "$@"; do printf '%s\\0' "$a"; done`;
      const command = `sh -c ${quoteArgument(script, 'posix')} sh ${quoteCommand(args, 'posix')}`;
      const output = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
      expect(output.split('\0').slice(0, -1)).toEqual(args);
    }),
    { numRuns: 60 },
  );
});

/** How the C runtime of Windows splits a command line, after cmd.exe has taken carets outside of quotes away. */
function splitWindows(line: string): string[] {
  let passed = '';
  let inside = false;
  for (let index = 0; index < line.length; index++) {
    const character = line[index]!;
    if (character === '"') inside = !inside;
    if (character === '^' && !inside) passed += line[++index] ?? '';
    else passed += character;
  }
  const result: string[] = [];
  let current: string | undefined;
  let quoted = false;
  for (let index = 0; index < passed.length; ) {
    let slashes = 0;
    while (passed[index + slashes] === '\\') slashes++;
    index += slashes;
    if (passed[index] === '"') {
      current = (current ?? '') + '\\'.repeat(Math.floor(slashes / 2));
      if (slashes % 2 === 1) current += '"';
      else if (quoted && passed[index + 1] === '"') {
        current += '"';
        index++;
      } else quoted = !quoted;
      index++;
      continue;
    }
    if (slashes > 0) current = (current ?? '') + '\\'.repeat(slashes);
    if (index >= passed.length) break;
    const character = passed[index]!;
    if (character === ' ' && !quoted) {
      if (current !== undefined) result.push(current);
      current = undefined;
    } else current = (current ?? '') + character;
    index++;
  }
  if (current !== undefined) result.push(current);
  return result;
}

test('[cli.quoting] cmd.exe and the C runtime read every argument back unchanged', () => {
  const fragment = fc.constantFrom('q dir', '\\', '"', '%', '%PATH%', '&', '|', '^', 'a', ' ', '日本', "'");
  const argument = fc.array(fragment, { maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), (args) => {
      expect(splitWindows(quoteCommand(args, 'cmd'))).toEqual(args);
    }),
    { numRuns: 1000 },
  );
});

test('cmd.exe does not see single quotes as quotes', () => {
  expect(quoteArgument('q dir', 'cmd')).toBe('"q dir"');
  expect(quoteArgument('say "hi"\\', 'cmd')).toBe('"say ""hi""\\\\"');
});

test('PowerShell gets single quotes, doubled inside', () => {
  expect(quoteArgument("it's $HOME", 'powershell')).toBe("'it''s $HOME'");
  expect(quoteArgument('--resume', 'powershell')).toBe('--resume');
  expect(quoteArgument('@x', 'powershell')).toBe("'@x'");
  expect(quoteArgument('a,b', 'powershell')).toBe("'a,b'");
});

test('the shell is guessed from the platform and its variables', () => {
  expect(usualShell('linux', {})).toBe('posix');
  expect(usualShell('win32', {})).toBe('powershell');
  expect(usualShell('win32', { PROMPT: '$P$G' })).toBe('cmd');
  expect(usualShell('win32', { SHELL: '/usr/bin/bash' })).toBe('posix');
});
