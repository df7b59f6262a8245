import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextFinder } from '../../src/values/text-finder.js';

const skipSpaces = (text: string, from: number) => {
  let index = from;
  while (text[index] === ' ') index += 1;
  return index;
};
/** Few letters, so that texts repeat themselves and lie in each other. */
const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 40 });
const sought = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'a', 'b', ' '), minLength: 4, maxLength: 12 }),
  {
    maxLength: 4,
  },
);

describe.each([
  ['everything', undefined],
  ['all but spaces', skipSpaces],
])('a finder to which %s counts', (_, skip) => {
  const counts = (character: string) => skip === undefined || character !== ' ';
  /** From each place that counts, letter by letter. */
  const matchFrom = (text: string, within: string, start: number): number | 'unfinished' | undefined => {
    let place = start;
    for (const character of [...text].filter(counts)) {
      while (place < within.length && !counts(within[place]!)) place += 1;
      if (place >= within.length) return 'unfinished';
      if (within[place] !== character) return undefined;
      place += 1;
    }
    return place;
  };
  const longEnough = (text: string) => [...text].filter(counts).length >= 4;

  it('finds the longest text from each place', () => {
    fc.assert(
      fc.property(sought, texts, (wanted, within) => {
        const expected: [number, number][] = [];
        for (let start = 0; start < within.length; start += 1) {
          if (!counts(within[start]!)) continue;
          const ends = wanted.filter(longEnough).map((text) => matchFrom(text, within, start));
          const longest = Math.max(...ends.filter((end) => typeof end === 'number'));
          if (longest > start) expected.push([start, longest]);
        }
        expect(new TextFinder(wanted, skip).find(within)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('knows from where on a text may go on behind the end', () => {
    fc.assert(
      fc.property(sought, texts, (wanted, within) => {
        const mayGoOn = (start: number) =>
          counts(within[start]!) &&
          wanted.filter(longEnough).some((text) => matchFrom(text, within, start) === 'unfinished');
        let expected = 0;
        while (expected < within.length && !mayGoOn(expected)) expected += 1;
        expect(new TextFinder(wanted, skip).unfinished(within)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
