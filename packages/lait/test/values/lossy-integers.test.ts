import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/values/canonical-json.js';
import { expandVariables } from '../../src/values/expand-variables.js';
import { lossyIntegers } from '../../src/values/lossy-integers.js';

describe('lossyIntegers', () => {
  it('finds integers that lose digits, and only those', () => {
    expect(lossyIntegers('{"a": 9007199254740993, "b": [9007199254740992, -9007199254740995]}')).toEqual([
      '9007199254740993',
      '-9007199254740995',
    ]);
    expect(lossyIntegers('{"id": "90071992547409931", "f": 0.12345678901234567, "e": 1e30}')).toEqual([]);
    expect(lossyIntegers('"a \\" 90071992547409931"')).toEqual([]);
  });

  it('agrees with exact arithmetic', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), (integer) => {
        expect(lossyIntegers(`[${integer}]`)).toEqual(
          BigInt(Number(integer)) === integer ? [] : [String(integer)],
        );
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('is independent of the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed as never)).toBe(canonicalJson(object as never));
        expect(JSON.parse(canonicalJson(object as never))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });
});

describe('expandVariables', () => {
  it('expands set variables and names unset ones', () => {
    expect(expandVariables('pre-${A_1}-${B}', { A_1: 'x', B: '${A_1}' }, 'api_key')).toBe('pre-x-${A_1}');
    expect(() => expandVariables('${NOPE}', {}, 'provider.api_key')).toThrow(
      /provider\.api_key: the environment variable NOPE is not set/,
    );
    expect(() => expandVariables('${constructor}', {}, 'x')).toThrow(/constructor/);
    expect(expandVariables('$A {B} ${}', {}, 'x')).toBe('$A {B} ${}');
  });
});
