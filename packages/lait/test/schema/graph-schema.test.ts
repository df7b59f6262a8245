import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGraphSchema } from '../../src/schema/graph-schema.js';
import { checkGraphValue, describeProblems, withDefaults } from '../../src/schema/graph-value.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';

describe('the schema subset of the graph form', () => {
  it.each<[JsonValue]>([
    [{ type: ['string'] }],
    [{}],
    [1],
    [{ type: 'object', const: 1 }],
    [{ type: 'object', properties: [] }],
    [{ type: 'object', required: 'x' }],
    [{ type: 'array', items: [{ type: 'string' }] }],
    [{ type: 'string', format: 'email' }],
    [{ type: 'integer', format: 'date' }],
    [{ type: 'number', minimum: '1' }],
    [{ type: 'number', minimum: 2, maximum: 1 }],
    [{ type: 'string', maxLength: 1.5 }],
    [{ type: 'string', pattern: '(a' }],
    [{ type: 'string', pattern: '(a)\\1' }],
  ])('refuses %j', (schema) => {
    expect(checkGraphSchema(schema)).not.toEqual([]);
  });

  it.each<[JsonObject, JsonValue, string | undefined]>([
    [{ type: 'integer' }, 1.0, undefined],
    [{ type: 'integer' }, true, 'value must be an integer, not a boolean'],
    [{ type: 'number' }, false, 'value must be a number, not a boolean'],
    [{ type: 'string' }, null, 'value must be a string, not null'],
    [{ type: 'string', enum: ['a'], minLength: 9 }, 'a', undefined],
    [{ enum: [1, null, { a: [1] }] }, { a: [1] }, undefined],
    [{ type: 'string', maxLength: 2 }, '日🎉', undefined],
    [{ type: 'string', pattern: '^\\d+$' }, '12x', 'value does not match the pattern ^\\d+$'],
    [{ type: 'string', format: 'date' }, '2026-02-29', 'value must be a date such as 2026-09-23'],
    [
      { type: 'string', format: 'date-time' },
      '2026-02-28T00:00:00',
      'value must be a time with offset such as 2026-09-23T01:00:00+00:00',
    ],
    [
      { type: 'array', items: { type: 'integer' }, maxItems: 1 },
      [1, 'x'],
      'value must have at most 1 items, not 2; value[1] must be an integer, not a string',
    ],
    [
      { type: 'object', properties: { a: { type: 'object', properties: {}, required: ['b'] } } },
      { a: {} },
      "value.a misses 'b'",
    ],
    [
      { type: 'object', properties: {}, additionalProperties: false },
      { toString: 1 },
      'value.toString is not a known property',
    ],
  ])('checks %j against %j', (schema, value, expected) => {
    const problems = checkGraphValue(schema, value);
    expect(problems.length === 0 ? undefined : describeProblems('value', problems)).toBe(expected);
  });

  it('answers at once on text that makes backtracking engines hang', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(checkGraphSchema(schema)).toEqual([]);
    expect(checkGraphValue(schema, `${'a'.repeat(50_000)}!`)).toHaveLength(1);
  });

  it('fills in defaults of missing properties without changing what is given', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'integer', default: 1 },
        o: { type: 'object', properties: { b: { type: 'string', default: 'x' } } },
      },
    };
    expect(withDefaults(schema, { o: {} })).toEqual({ a: 1, o: { b: 'x' } });
    expect(withDefaults(schema, { a: null, o: { b: 'y' } })).toEqual({ a: null, o: { b: 'y' } });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(withDefaults({ type: 'object', properties: {} }, value as JsonObject)).toEqual(value);
      }),
    );
  });
});
