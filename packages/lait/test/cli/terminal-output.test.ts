import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { tableText } from '../../src/cli/print-table.js';
import { fitWidth } from '../../src/observe/fit-width.js';
import { directoryWith } from './run-lait.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;
const escapeCharacter = '\u001b';

/** What a command shows on a real terminal. */
function onTerminal(directory: string, args: string, env: Record<string, string> = {}): Promise<string> {
  const child = spawn('script', ['-qec', `${process.execPath} ${launcher} ${args}`, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  return new Promise((resolve) => child.on('close', () => resolve(screen)));
}

it.runIf(hasScript)(
  '[terminal.plain] --progress plain writes lines and nothing that a screen reader stumbles over',
  async () => {
    const directory = directoryWith({
      'w.yml': 'steps:\n  - id: 待つ\n    run: [sh, -c, "sleep 0.3; echo 👋"]\n'.replace('待つ', 'wait'),
    });
    const screen = await onTerminal(directory, 'run w.yml x --progress plain');
    expect(screen).toBe('==> w.yml\r\n[1] wait\r\n👋\r\n');
  },
  20_000,
);

it.runIf(hasScript)(
  '[terminal.colour] problems are coloured on a terminal, unless NO_COLOR is set or it is dumb',
  async () => {
    const directory = directoryWith({ 'w.yml': 'steps:\n  - promt: hi\n' });
    expect(await onTerminal(directory, 'run w.yml x')).toContain(escapeCharacter);
    expect(await onTerminal(directory, 'run w.yml x', { NO_COLOR: '1' })).not.toContain(escapeCharacter);
    expect(await onTerminal(directory, 'run w.yml x', { TERM: 'dumb' })).not.toContain(escapeCharacter);
  },
  20_000,
);

const words = fc
  .array(fc.constantFrom('a', '日', '本', '👩‍👩‍👧', '🇯🇵', 'é', 'ﾊ', '…', '한'), { maxLength: 12 })
  .map((parts) => parts.join(''));

it('[terminal.width] the columns of tables begin at the same place in every row', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 6 }), (rows) => {
      const lines = tableText(rows.map(([first, second]) => [first, second, '|']))
        .split('\n')
        .slice(0, -1);
      const widths = lines.map((line) => stringWidth(line.slice(0, line.lastIndexOf('|'))));
      expect(new Set(widths).size).toBe(1);
    }),
  );
});

it('[terminal.width] a line that is cut fits, keeps whole characters, and is the longest that fits', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 30 }), (text, columns) => {
      const cut = fitWidth(text, columns);
      expect(stringWidth(cut)).toBeLessThanOrEqual(columns);
      const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
      const kept = [...new Intl.Segmenter().segment(cut.replace(/…$/, ''))].map(({ segment }) => segment);
      expect(segments.slice(0, kept.length)).toEqual(kept);
    }),
  );
});
