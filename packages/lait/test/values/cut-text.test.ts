import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from '../../src/values/cut-text.js';

describe('cutText', () => {
  it('leaves texts alone that fit', () => {
    expect(cutText('日本', 6)).toEqual({ text: '日本', omittedBytes: 0 });
  });

  it('keeps beginning and end, counts what is missing, and splits no character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '日', '🦊'), minLength: 60, maxLength: 300 }),
        fc.integer({ min: 20, max: 50 }),
        (text, limit) => {
          const cut = cutText(text, limit);
          const [, head, omitted, total, tail] =
            /^([\s\S]*)\n\[… (\d+) of (\d+) bytes left out …\]\n([\s\S]*)$/.exec(cut.text)!;
          expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
          expect(Number(total)).toBe(Buffer.byteLength(text));
          expect(Buffer.byteLength(head!) + Buffer.byteLength(tail!) + Number(omitted)).toBe(Number(total));
          expect(Buffer.byteLength(head!) + Buffer.byteLength(tail!)).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});
