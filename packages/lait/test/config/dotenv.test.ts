import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDotenv } from '../../src/config/dotenv.js';
import { DefinitionError } from '../../src/errors/errors.js';

const parse = (text: string) => ({ ...parseDotenv(text, '.env') });

test('bare, quoted, exported and commented lines', () => {
  const text = [
    '\t# a comment',
    '',
    'BARE=a b  # trailing comment',
    'HASH=a#b',
    'EMPTY=',
    'NOTHING= # only a comment',
    'LITERAL=\'a $b \\n "c"\' # comment',
    'ESCAPED="a\\nb\\t\\"c\\" \\\\ 日本語 👋"',
    'export EXPORTED = spaced ',
    'AGAIN=1',
    'AGAIN=2',
    'WINDOWS=x\r',
  ].join('\n');
  expect(parse(text)).toEqual({
    BARE: 'a b',
    HASH: 'a#b',
    EMPTY: '',
    NOTHING: '',
    LITERAL: 'a $b \\n "c"',
    ESCAPED: 'a\nb\t"c" \\ 日本語 👋',
    EXPORTED: 'spaced',
    AGAIN: '2',
    WINDOWS: 'x',
  });
});

test('every bad line is reported with its number, without the value', () => {
  const text = 'GOOD=1\nno assignment\n1X=2\nSECRET="hunter2\nB=\'x\' y\nC="\\q"\n';
  let error: unknown;
  try {
    parse(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(DefinitionError);
  const { diagnostics } = error as DefinitionError;
  expect(diagnostics.map((diagnostic) => diagnostic.position?.line)).toEqual([2, 3, 4, 5, 6]);
  expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  for (const { position } of diagnostics) {
    expect(text.slice(position!.start, position!.end)).toBe(text.split('\n')[position!.line - 1]);
  }
});

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\0]/.test(text));

test('what double quotes escape comes back', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (variables) => {
      const lines = Object.entries(variables).map(([key, text]) => {
        const escaped = text
          .replaceAll('\\', '\\\\')
          .replaceAll('"', '\\"')
          .replaceAll('\n', '\\n')
          .replaceAll('\r', '\\r');
        return `${key}="${escaped}"`;
      });
      expect(parse(lines.join('\n'))).toEqual(variables);
    }),
  );
});

test('single quotes are literal', () => {
  fc.assert(
    fc.property(
      name,
      value.filter((text) => !/['\n\r]/.test(text)),
      (key, text) => {
        expect(parse(`export ${key}='${text}'`)).toEqual({ [key]: text });
      },
    ),
  );
});
