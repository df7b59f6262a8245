import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, holds } from '../../src/testing/compare-values.js';
import { jsonEqual } from '../../src/values/json-equal.js';
import type { JsonValue } from '../../src/values/value.js';

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

describe('equals', () => {
  it('has a difference exactly when the values are not equal', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, async (expected, actual) => {
        expect((await differenceOf(expected, actual)) === undefined).toBe(jsonEqual(expected, actual));
        expect(await differenceOf(expected, structuredClone(expected))).toBeUndefined();
      }),
    );
  });

  it('shows what differs, line by line, and nothing of long equal parts', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const changed = [...lines.slice(0, 15), '変更 👋', ...lines.slice(16)];
    const difference = await differenceOf(lines.join('\n'), changed.join('\n'));
    expect(difference).toContain('- line 15\n+ 変更 👋');
    expect(difference).toContain('…');
    expect(difference!.split('\n').length).toBeLessThan(20);
  });

  it('shows values of another type as JSON', async () => {
    expect(await differenceOf('1', 1)).toBe('- "1"\n+ 1');
    expect(await differenceOf({ b: 1, a: 2 }, { a: 2, b: 3 })).toContain('-   "b": 1\n+   "b": 3');
  });

  it('stops after a page', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `a${index}`).join('\n');
    const difference = await differenceOf(many, many.replaceAll('a', 'b'));
    expect(difference!.split('\n').length).toBe(61);
    expect(difference).toMatch(/… \d+ more lines$/);
  });
});

describe('contains', () => {
  it('holds for a value and itself', () => {
    fc.assert(fc.property(json, (value) => holds(value, value)));
  });

  it('takes text as a part of the text form, and lists and mappings by their parts', () => {
    expect(holds('short text', 'text')).toBe(true);
    expect(holds({ a: 'x' }, '"a"')).toBe(true);
    expect(holds([1, { a: 1, b: 2 }], [{ b: 2 }])).toBe(true);
    expect(holds({ a: { b: [1, 2] }, c: 3 }, { a: { b: [2] } })).toBe(true);
    expect(holds(['abc'], ['b'])).toBe(false);
    expect(holds({ a: 1 }, { a: '1' })).toBe(false);
    expect(holds([1, 2], 2)).toBe(true);
    expect(holds({}, { constructor: {} })).toBe(false);
  });
});

describe('[values.size] the difference of values', () => {
  it('is told without what is too large to be shown', async () => {
    let actual: JsonValue = 1;
    for (let level = 0; level < 60; level += 1) actual = [actual, actual];
    expect(await differenceOf([1], actual)).toContain('+ too large or too deep to be shown');
  });

  it('is one before the other when there are too many to look for', async () => {
    const numbers = (first: number) => Array.from({ length: 50_000 }, (_, index) => first + index * 2);
    const difference = await differenceOf(numbers(0), numbers(1));
    expect(difference?.split('\n').slice(0, 2)).toEqual(['- [', '-   0,']);
    expect(difference).toContain('more lines');
  });
});
