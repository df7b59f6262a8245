import { describe, expect, it } from 'vitest';
import { explainOverflow } from '../../src/errors/explain-overflow.js';
import { ValueCodec } from '../../src/runs/stores/value-codec.js';
import { canonicalJson } from '../../src/values/canonical-json.js';
import { jsonEqual } from '../../src/values/json-equal.js';
import { copyProgramValue } from '../../src/values/program-value.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { notShown, shownJson, textOf } from '../../src/values/text.js';
import type { JsonValue } from '../../src/values/value.js';

/** Every level holds the one below twice: 60 small objects, and 2^60 of them for whatever goes through it. */
function shared(innermost: JsonValue = 1): JsonValue {
  let value: JsonValue = innermost;
  for (let level = 0; level < 60; level += 1)
    value = level % 2 === 0 ? [value, value] : { a: value, b: value };
  return value;
}

const secrets = new SecretRegistry();
secrets.add('secret-0123');

/** A long text, and long names, over and over: a few megabytes, and a hundred gigabytes of JSON. */
const long = '苔'.repeat(1_000_000);
const longTexts: JsonValue = Array.from({ length: 100_000 }, () => long);
const longNames: JsonValue = Array.from({ length: 100_000 }, () => ({ [long]: 1 }));

describe.each([
  ['texts', longTexts],
  ['names', longNames],
])('[values.size] a value that holds the same long %s over and over', (_, value) => {
  it.each<[string, () => unknown]>([
    ['written as text', () => textOf(value)],
    ['written with sorted keys', () => canonicalJson(value)],
    ['stored', () => new ValueCodec().encode(value)],
    ['masked', () => secrets.maskValue(value)],
    ['stored with what JSON cannot say', () => new ValueCodec().encode([-0, value])],
  ])('is refused where it is %s', (_, use) => {
    expect(use).toThrow(expect.objectContaining({ code: 'value_too_large' }));
  });
});

describe('[values.size] a value that holds the same parts over and over', () => {
  it.each<[string, () => unknown]>([
    ['written as text', () => textOf(shared())],
    ['written with sorted keys', () => canonicalJson(shared())],
    ['compared', () => jsonEqual(shared(), shared())],
    ['stored', () => new ValueCodec().encode(shared())],
    ['stored with what JSON cannot say', () => new ValueCodec().encode([-0, shared()])],
    ['taken from code', () => copyProgramValue(shared())],
    ['masked', () => secrets.maskValue(shared('x secret-0123'))],
  ])('is refused where it is %s', (_, use) => {
    expect(use).toThrow(expect.objectContaining({ code: 'value_too_large' }));
  });

  it('is told as too deep where it is', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    for (const use of [textOf, canonicalJson, (value: JsonValue) => secrets.maskValue(value)])
      expect(() => use(deep)).toThrow(expect.objectContaining({ code: 'value_too_deep' }));
  });

  it('is left out where people only look at it', () => {
    expect(shownJson(shared())).toBe(notShown);
  });

  it('is told as what it is where Node could not write it', () => {
    expect(explainOverflow(new RangeError('Invalid string length'))).toMatchObject({
      code: 'value_too_large',
    });
  });

  it('is a value like others when it is small', () => {
    const twice = (value: JsonValue) => [value, value];
    const value = twice(twice({ a: '苔 🎉' }));
    expect([textOf(value), jsonEqual(value, JSON.parse(textOf(value)))]).toEqual([
      JSON.stringify(value),
      true,
    ]);
  });
});
