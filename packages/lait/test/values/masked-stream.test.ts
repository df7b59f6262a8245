import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MaskedStream } from '../../src/values/masked-stream.js';
import { SecretRegistry } from '../../src/values/secrets.js';

function registryOf(...secrets: string[]): SecretRegistry {
  const registry = new SecretRegistry();
  for (const secret of secrets) registry.add(secret);
  return registry;
}

function shownOf(pieces: readonly string[], registry: SecretRegistry): string {
  const stream = new MaskedStream(registry);
  return pieces.map((piece) => stream.add(piece)).join('') + stream.end();
}

/** Texts that come close to secrets, in pieces. */
const piecesOf = (...parts: string[]) =>
  fc.array(fc.constantFrom(...parts), { maxLength: 40 }).chain((chosen) => {
    const text = chosen.join('');
    return fc
      .array(fc.nat({ max: text.length }), { maxLength: 30 })
      .map((cuts) => [0, ...cuts.sort((one, other) => one - other), text.length])
      .map((places) => places.slice(1).map((end, index) => text.slice(places[index], end)));
  });

describe('MaskedStream', () => {
  it('[secrets.masked-pieces] shows of a text in pieces what is shown of it whole', () => {
    const registry = registryOf(
      'abcdabce',
      'cdab-cd',
      '鍵は日本🦊語',
      'nnrr',
      "it's\nnext-line-of-it",
      'ΠΆΣΣ-İΣ',
    );
    const parts = ['abcd', 'abce', 'ab', 'c', '-cd', 'cdab', ' ', '\n', '\\', 'n', 'r', '\\n', '\\r', 'x'];
    const others = [
      '鍵は',
      '日本',
      '🦊',
      '語',
      "it's",
      'next-line',
      '-of-it',
      'ABCD',
      'aHR0',
      'YWJj',
      'ZGFiY2U=',
      'πάς',
      'Σ',
      'ς-İ',
    ];
    fc.assert(
      fc.property(piecesOf(...parts, ...others), (pieces) => {
        expect(shownOf(pieces, registry)).toBe(registry.mask(pieces.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('[secrets.masked-pieces] a letter that a backslash escapes is told apart in pieces, too', () => {
    const registry = registryOf('next-line-of-it');
    for (const pieces of [
      ['\\n', 'ext-line-of-it'],
      ['\\', 'next-line-of-it'],
      ['\\n', 'next-line-of-it'],
    ])
      expect(shownOf(pieces, registry)).toBe(registry.mask(pieces.join('')));
  });

  it('[secrets.masked-pieces] no piece shows a part of a secret, however it is cut', () => {
    const secret = 'sk-日本🦊-0123456789';
    const registry = registryOf(secret);
    const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
    for (const form of [...forms, [...secret].join(' '), `${secret.slice(0, 5)}\n  ${secret.slice(5)}`])
      for (let size = 1; size <= form.length; size += 1) {
        const text = `<${form}>`;
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
          text.slice(index * size, (index + 1) * size),
        );
        expect(shownOf(pieces, registry)).toBe('<[REDACTED]>');
      }
  });

  it('what can be no secret is shown at once', () => {
    const stream = new MaskedStream(registryOf('secret-0123'));
    expect(stream.add('こんにちは 🎉 ')).toBe('こんにちは 🎉 ');
    expect(stream.add('a sec')).toBe('a ');
    expect(stream.add('ond')).toBe('second');
    expect(stream.add('s')).toBe('');
    expect(stream.end()).toBe('s');
  });

  it('a secret that becomes known meanwhile is masked from then on', () => {
    const registry = new SecretRegistry();
    const stream = new MaskedStream(registry);
    expect(stream.add('secret-0123 ')).toBe('secret-0123 ');
    registry.add('secret-0123');
    expect(stream.add('secret-0123 ') + stream.end()).toBe('[REDACTED] ');
  });

  it('[secrets.masked-pieces] what may go on being a secret without end is shown no more', () => {
    const registry = registryOf('secret-0123');
    const stream = new MaskedStream(registry);
    let shown = stream.add('begin sec');
    for (let count = 0; count < 3000; count += 1) shown += stream.add(' \\\n    ');
    shown += stream.add('ret-0123 more') + stream.end();
    expect(shown).toBe('begin [REDACTED]');
  });
});
