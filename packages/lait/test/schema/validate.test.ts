import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchema } from '../../src/schema/check-schema.js';
import { validateSubset } from '../../src/schema/validate.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';

describe('validateSubset', () => {
  it.each<[JsonObject, JsonValue, string[]]>([
    [{ type: 'string' }, 'x', []],
    [{ type: 'string' }, 1, ['v must be text, not 1']],
    [{ type: 'integer' }, 3, []],
    [{ type: 'integer' }, 3.0, []],
    [{ type: 'integer' }, 1.5, ['v must be an integer, not 1.5']],
    [{ type: 'number' }, true, ['v must be a number, not true']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: ['string', 'null'] }, 5, ['v must be text or null, not 5']],
    [{ type: 'whatever' }, 5, []],
    [{ type: 'array' }, {}, ['v must be an array, not an object']],
    [{ type: 'object' }, [], ['v must be an object, not an array']],
    [{ enum: ['lo', 'hi'] }, 'mid', ['v must be one of "lo", "hi", not the text "mid"']],
    [{ enum: [{ a: [1] }] }, { a: [1] }, []],
    [{ required: ['k', 'toString'] }, { k: 1 }, ['v.toString is missing']],
    [{ required: ['k'] }, 'no object', []],
    [
      {
        properties: {
          rows: { type: 'array', items: { required: ['k'], properties: { k: { type: 'string' } } } },
        },
      },
      { rows: [{ k: 'a' }, {}, { k: 5 }] },
      ['v.rows[1].k is missing', 'v.rows[2].k must be text, not 5'],
    ],
    [
      { properties: { 'odd name': { type: 'string' } } },
      { 'odd name': 1 },
      ['v["odd name"] must be text, not 1'],
    ],
    [{ properties: { a: { type: 'string' } } }, {}, []],
    [
      { items: [{ type: 'string' }, { type: 'integer' }] },
      ['a', 'b'],
      ['v[1] must be an integer, not the text "b"'],
    ],
    [{ pattern: '^x$', minLength: 50, format: 'date', const: 1 }, 'abc', []],
    [{ additionalProperties: false, minProperties: 9 }, { more: 1 }, []],
    [{ oneOf: [{ type: 'string' }], anyOf: [], allOf: [{ type: 'null' }], $ref: '#/nope' }, [], []],
  ])('%j accepts or refuses %j', (schema, value, problems) => {
    expect(validateSubset(schema, value, 'v')).toEqual(problems);
  });

  it('does not take what a prototype has for a property of the value or the schema', () => {
    const schema = JSON.parse(
      '{"properties": {"__proto__": {"type": "string"}, "constructor": {"type": "string"}}}',
    );
    expect(validateSubset(schema, {})).toEqual([]);
    expect(validateSubset(schema, JSON.parse('{"__proto__": 1, "constructor": 2}'), 'v')).toEqual([
      'v.__proto__ must be text, not 1',
      'v.constructor must be text, not 2',
    ]);
  });

  it('checks type, enum and required through properties and items, and nothing else [schema.subset]', () => {
    const schema = {
      type: 'array',
      items: { required: ['k'], properties: { k: { enum: [1] } } },
      maxItems: 0,
    };
    expect(validateSubset(schema, [{ k: 1 }, { k: 2 }, {}], 'v')).toEqual([
      'v[1].k must be one of 1, not 2',
      'v[2].k is missing',
    ]);
  });

  it('lists a bounded number of problems', () => {
    const problems = validateSubset(
      { items: { type: 'string' } },
      Array.from({ length: 1000 }, () => 1),
    );
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('980 more problems');
  });

  it('never throws, whatever the schema and the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
        validateSubset(schema as JsonObject, value as JsonValue);
        checkSchema(schema as JsonValue);
      }),
    );
  });
});

describe('checkSchema', () => {
  it.each<[JsonValue, string[]]>([
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] }, []],
    [{ properties: { a: true }, items: false }, []],
    [{ type: 5 }, ['error type: type of a schema must be a name or a list of names']],
    [{ type: 'strng' }, ['warning type']],
    [{ required: 'a' }, ['error required: required of a schema must be a list of property names']],
    [{ enum: 'a' }, ['error enum: enum of a schema must be a list of values']],
    [{ properties: [] }, ['error properties']],
    [{ properties: { a: { items: { type: [1] } } } }, ['error properties.a.items.type.0']],
    [{ properties: { a: 'string' } }, ['error properties.a: a schema must be a mapping']],
  ])('%j', (schema, expected) => {
    const found = checkSchema(schema).map(
      ({ path, severity, message }) => `${severity} ${path.join('.')}: ${message}`,
    );
    expect(found).toHaveLength(expected.length);
    found.forEach((problem, index) => {
      expect(problem.startsWith(expected[index]!)).toBe(true);
    });
  });
});
