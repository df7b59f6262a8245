import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatsKeys } from '../../src/values/repeated-keys.js';

const repeats = (text: string) => repeatsKeys(text, JSON.parse(text));

describe('repeatsKeys', () => {
  it('finds a key that is given twice, however deep and however it is written', () => {
    expect(repeats('{"a": 1, "a": 1}')).toBe(true);
    expect(repeats('[{"x": {"a": [], "\\u0061": {}}}]')).toBe(true);
    expect(repeats('{"__proto__": 1, "__proto__": 2}')).toBe(true);
  });

  it('is not deceived by colons and quotes in strings', () => {
    expect(repeats('{"a:\\"b\\\\": "::", "c": [":", "\\\\"], "__proto__": {"a": 1}}')).toBe(false);
  });

  it('finds none in what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !repeats(JSON.stringify(value, null, 2))));
  });
});
