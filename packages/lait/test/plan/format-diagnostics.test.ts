import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/plan/diagnostic.js';
import { diagnosticCodes } from '../../src/plan/diagnostic-codes.js';
import {
  formatDiagnostics,
  formatDiagnosticsGithub,
  formatDiagnosticsJson,
} from '../../src/plan/format-diagnostics.js';
import { formatDiagnosticsSarif } from '../../src/plan/format-sarif.js';
import { LineIndex } from '../../src/plan/line-index.js';

const text = 'name: 日本😀\n\tid: x\nlast';

function at(part: string, extra: Partial<Diagnostic> = {}, whole = text): Diagnostic {
  const start = whole.indexOf(part);
  const position = new LineIndex(whole).position('w.yml', start, start + part.length);
  return { code: 'bad_value', severity: 'error', message: 'it is wrong', position, ...extra };
}

describe('text', () => {
  const sources = [{ file: 'w.yml', text }];

  it('aligns carets with wide characters, emoji and tabs [diagnostics.caret-frame]', () => {
    expect(formatDiagnostics([at('😀')], { sources }).split('\n')).toEqual([
      'w.yml:1:9: error[bad_value]: it is wrong',
      '  1 | name: 日本😀',
      '    |           ^^',
    ]);
    expect(
      formatDiagnostics([at('id')], { sources })
        .split('\n')
        .slice(1),
    ).toEqual(['  2 |   id: x', '    |   ^^']);
  });

  it('names the step and the repair', () => {
    const diagnostic = at('x', { path: 'steps[1]', id: 'halt', hint: "did you mean 'y'?" });
    const lines = formatDiagnostics([diagnostic], { sources }).split('\n');
    expect(lines[0]).toBe("w.yml:2:6: error[bad_value]: steps[1] (id 'halt'): it is wrong");
    expect(lines.at(-1)).toBe("  hint: did you mean 'y'?");
  });

  it('shows a window of a long line', () => {
    const long = `${'あ'.repeat(500)}X${'b'.repeat(500)}`;
    const [, line, carets] = formatDiagnostics([at('X', {}, long)], {
      sources: [{ file: 'w.yml', text: long }],
    }).split('\n');
    expect(line).toContain('X');
    expect(line!.length).toBeLessThan(120);
    expect(stringWidth(line!.slice(0, line!.indexOf('X')))).toBe(carets!.indexOf('^'));
  });

  it('lets no text of a file steer the terminal [diagnostics.no-terminal-control]', () => {
    const hostile = 'a: "\u001b[2J\u202e"';
    const shown = formatDiagnostics([at('a', { message: 'bad \u001b]0;x\u0007' }, hostile)], {
      sources: [{ file: 'w.yml', text: hostile }],
    });
    for (const character of ['\u001b', '\u0007', '\u202e']) expect(shown).not.toContain(character);
    expect(shown).toContain('\\x1b[2J');
  });

  it('puts the caret under the character for any line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        (before, after) => {
          fc.pre(!/[\n\r\t\p{C}\u200b-\u200f]/u.test(before + after));
          const line = `${before}#${after}`;
          const start = before.length;
          const position = new LineIndex(line).position('w.yml', start, start + 1);
          const [, shown, carets] = formatDiagnostics(
            [{ code: 'bad_value', severity: 'error', message: 'm', position }],
            {
              sources: [{ file: 'w.yml', text: line }],
            },
          ).split('\n');
          const caret = carets!.indexOf('^') - '  1 | '.length;
          const prefix = shown!.slice('  1 | '.length).slice(0, before.length);
          expect(caret).toBe(stringWidth(prefix));
        },
      ),
    );
  });
});

describe('other formats', () => {
  const diagnostics: Diagnostic[] = [
    at('x', { path: 'steps[0]', hint: 'h' }),
    { code: 'unused_schema', severity: 'warning', message: '100%\nsure, yes' },
  ];

  it('JSON has file, line, severity and message', () => {
    expect(formatDiagnosticsJson('f.yml', diagnostics)).toEqual([
      {
        file: 'w.yml',
        line: 2,
        column: 6,
        severity: 'error',
        code: 'bad_value',
        message: 'it is wrong',
        path: 'steps[0]',
        hint: 'h',
      },
      {
        file: 'f.yml',
        line: null,
        column: null,
        severity: 'warning',
        code: 'unused_schema',
        message: '100%\nsure, yes',
      },
    ]);
  });

  it('GitHub commands are escaped', () => {
    expect(formatDiagnosticsGithub('a,b:c.yml', diagnostics)).toBe(
      '::error file=w.yml,line=2::steps[0]: it is wrong (h) [bad_value]\n' +
        '::warning file=a%2Cb%3Ac.yml::100%25%0Asure, yes [unused_schema]',
    );
  });

  it('SARIF explains the rules and places the results', () => {
    const log = formatDiagnosticsSarif([{ file: 'dir/日本.yml', diagnostics }], '1.2.3', diagnosticCodes);
    const [run] = log.runs;
    expect(run!.tool.driver.rules.map(({ id }) => id)).toEqual(['bad_value', 'unused_schema']);
    expect(run!.results[0]).toMatchObject({
      ruleId: 'bad_value',
      ruleIndex: 0,
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'w.yml' }, region: { startLine: 2, startColumn: 6 } },
        },
      ],
    });
    expect(run!.results[1]!.locations[0]!.physicalLocation).toEqual({
      artifactLocation: { uri: 'dir/%E6%97%A5%E6%9C%AC.yml' },
    });
  });
});

describe('codes', () => {
  it('are explained with an example each [diagnostics.explained]', () => {
    for (const [code, { title, explanation, example }] of Object.entries(diagnosticCodes)) {
      expect(code).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
      expect(title).not.toMatch(/\.$/);
      expect(explanation).toMatch(/\.$/);
      expect(example.trim()).not.toBe('');
    }
  });
});

describe('LineIndex', () => {
  it('counts lines and Unicode characters from 1, in any order of questions', () => {
    const index = new LineIndex('a😀b\r\n\n日本');
    const place = (offset: number) => {
      const { line, column } = index.position('f', offset, offset);
      return `${line}:${column}`;
    };
    expect([8, 3, 0, 1, 6, 7, 9, 99].map(place)).toEqual([
      '3:2',
      '1:3',
      '1:1',
      '1:2',
      '2:1',
      '3:1',
      '3:3',
      '3:3',
    ]);
  });
});
