import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonProblem } from '../../src/values/json-problem.js';

describe('where a text stops being JSON', () => {
  it.each([
    ['{"a": 1 "b": 2}', 8, '`,` or `}` is expected, not `"b"`'],
    ['[1 2]', 3, '`,` or `]` is expected, not `2`'],
    ['{"a" 1}', 5, '`:` behind the key is expected, not `1`'],
    ['{"a":}', 5, 'a value is expected, not `}`: remove'],
    ['{"a": 1,}', 8, 'a key in double quotes is expected, not `}`: remove the comma'],
    ['[1,]', 3, 'a value is expected, not `]`: remove the comma'],
    ['{a: 1}', 1, 'a key in double quotes or `}` is expected, not `a`'],
    ["{'a': 1}", 1, 'double'],
    ['{} {}', 3, 'remove what follows'],
    ['[true, tru]', 7, 'not `tru`'],
    ['[01]', 1, 'not `01`'],
    ['[1 // one\n]', 3, 'JSON has no comments'],
    ['{"a": [1}', 8, '`,` or `]` is expected, not `}`'],
    ['{"a": [1', 8, 'not the end of the text'],
    ['["日本 😀\n"]', 1, 'not closed on its line'],
    ['["a', 1, 'never closed'],
    ['["\t"]', 2, '\\t'],
    ['["\\q"]', 2, '`\\q` is no escape'],
    ['["\\u12"]', 2, '`\\u` is no escape'],
    ['[😀]', 1, '`😀`'],
    ['', 0, 'the end of the text'],
  ])('%j', (text, offset, message) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonProblem(text)).toEqual({ offset, message: expect.stringContaining(message) });
  });

  it('is nowhere in exactly what JSON.parse takes', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\/ut -0.5e+'.split(''),
      'true',
      'null',
      '"a"',
      '12',
      '\n',
      '\u0001',
      'é',
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), pieces).map(([text, at, piece]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + piece + text.slice(cut + 1);
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(findJsonProblem(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('is found below any depth', () => {
    expect(findJsonProblem(`${'['.repeat(200_000)}x`)?.offset).toBe(200_000);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
