import { describe, expect, it } from 'vitest';
import { isFullyStripped } from '../../src/schema/is-fully-stripped.js';
import {
  compileDefinitionSchema,
  describeProblems,
  type StripOptions,
  UnsupportedSchemaError,
} from '../../src/schema/strip.js';
import type { Value } from '../../src/values/value.js';

/** The value that is left, or the problems as text. */
function strip(schema: unknown, value: unknown, options?: StripOptions): unknown {
  const result = compileDefinitionSchema(schema, options)(value as Value);
  return result.ok ? result.value : describeProblems(result.problems);
}
const object = (properties: object, required: string[] = Object.keys(properties), more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const number = { type: 'number' };

describe('stripping', () => {
  it('drops undeclared keys, in the order of the schema, and keeps them where they are allowed', () => {
    expect(JSON.stringify(strip(object({ b: {}, a: number }), { x: 1, a: 1, b: 2 }))).toBe('{"b":2,"a":1}');
    expect(strip({ type: 'object' }, { a: 1 })).toEqual({});
    expect(
      strip(object({ o: object({ a: {} }, [], { additionalProperties: true }) }), {
        o: { a: 1, b: 2 },
        c: 3,
      }),
    ).toEqual({ o: { a: 1, b: 2 } });
    expect(
      strip(object({ l: { type: 'array', items: object({ a: number }) } }), { l: [{ a: 1, b: 2 }] }),
    ).toEqual({ l: [{ a: 1 }] });
    const sent = JSON.parse('{"__proto__":{"x":1},"a":1}') as object;
    expect(JSON.stringify(strip(object({ a: {} }, [], { additionalProperties: true }), sent))).toBe(
      '{"a":1,"__proto__":{"x":1}}',
    );
  });

  it.each([
    [
      object({ o: object({ x: number }) }),
      { o: { x: 's' } },
      '- o.x: Invalid input: expected number, received string',
    ],
    [
      object({ l: { type: 'array', items: number } }),
      { l: [1, 'x'] },
      '- l.1: Invalid input: expected number, received string',
    ],
    [object({}), null, '- : Invalid input: expected object, received null'],
    [object({}), [], '- : Invalid input: expected object, received array'],
    [object({ a: {} }), {}, '- a: Invalid input: expected nonoptional, received undefined'],
    [{ type: 'integer' }, 3.5, '- : Invalid input: expected int, received number'],
    [{ type: 'integer' }, 2 ** 53, '- : Too big: expected int to be <=9007199254740991'],
    [number, Number.NaN, '- : Invalid input: expected number, received NaN'],
    [{ enum: ['x', 'y'] }, 'z', '- : Invalid option: expected one of "x"|"y"'],
    [{ enum: ['x'] }, 'z', '- : Invalid input: expected "x"'],
    [{ enum: ['x', 1, null] }, 'z', '- : Invalid input'],
    [{ const: 5 }, 6, '- : Invalid input: expected 5'],
    [{ type: ['string', 'null'] }, 1, '- : Invalid input'],
    [{ type: ['string'] }, 1, '- : Invalid input: expected string, received number'],
    [
      object({ a: number, b: { type: 'string' } }),
      { a: '1', b: 2 },
      '- a: Invalid input: expected number, received string\n- b: Invalid input: expected string, received number',
    ],
  ])('says what does not fit %j', (schema, value, text) => {
    expect(strip(schema, value)).toBe(text);
  });

  it('accepts anything where the schema says nothing, and ignores what it does not know', () => {
    for (const schema of [
      {},
      true,
      false,
      null,
      undefined,
      'x',
      [],
      { properties: { a: number } },
      { enum: [] },
    ]) {
      expect(strip(schema, { a: 'x' })).toEqual({ a: 'x' });
    }
    expect(strip({ type: 'string', pattern: '^a', format: 'date', minLength: 9 }, 'b')).toBe('b');
    expect(strip(object({ a: { type: 'string', default: 'x' } }, []), {})).toEqual({});
  });

  it('tries the types of a list in order', () => {
    const either = { type: ['string', 'object'], properties: { a: number }, required: ['a'] };
    expect(strip(either, { a: 1, b: 2 })).toEqual({ a: 1 });
    expect(strip(either, { a: 'x' })).toBe('- : Invalid input');
  });

  it.each([
    [{ type: 'array', items: [{}] }, /tuple-form "items"/],
    [{ type: 'strng' }, /unsupported JSON Schema type "strng"/],
    [{ enum: [{}] }, /non-primitive members/],
    [{ const: [1] }, /non-primitive "const" value \(\[1\]\)/],
  ])('refuses to compile %j, but not for a tool', (schema, message) => {
    expect(() => compileDefinitionSchema(schema)).toThrow(UnsupportedSchemaError);
    expect(() => compileDefinitionSchema(schema)).toThrow(message);
    expect(strip(schema, [{ a: 1 }], { tool: 'input' })).toEqual([{ a: 1 }]);
  });
});

describe('[dynamic.strict-schemas] strict schemas', () => {
  it.each([
    [{ type: 'string', minLength: 2 }, '🎉', 'Too small: expected string to have characters >=2'],
    [{ type: 'string', pattern: '^a+$' }, 'ab', 'Invalid string: must match pattern ^a+$'],
    [{ type: 'string', format: 'date' }, '2024-02-30', 'Invalid date'],
    [{ type: 'string', format: 'date-time' }, 'noon', 'Invalid date-time'],
    [{ minimum: 1 }, 0, 'Too small: expected number to be >=1'],
    [{ exclusiveMaximum: 1 }, 1, 'Too big: expected number to be <1'],
    [{ multipleOf: 0.1 }, 0.35, 'Invalid number: must be a multiple of 0.1'],
    [{ minItems: 1 }, [], 'Too small: expected array to have items >=1'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'Invalid input: expected items to be unique',
    ],
    [{ maxProperties: 0 }, { a: 1 }, 'Too big: expected object to have keys <=0'],
  ])('honour %j', (schema, value, message) => {
    expect(strip(schema, value, { strict: true })).toBe(`- : ${message}`);
    expect(strip(schema, value)).toEqual(value);
  });

  it('honour additionalProperties, defaults and required keys that are not declared', () => {
    const strict = { strict: true };
    expect(strip({ ...object({ a: number }), additionalProperties: false }, { a: 1, b: 2 }, strict)).toBe(
      '- b: Unrecognized key',
    );
    expect(strip({ type: 'object', additionalProperties: number }, { a: 1, b: 'x' }, strict)).toBe(
      '- b: Invalid input: expected number, received string',
    );
    expect(strip(object({ a: { type: 'string', default: 'x' } }, []), {}, strict)).toEqual({ a: 'x' });
    expect(strip({ type: 'object', required: ['q'] }, {}, strict)).toBe(
      '- q: Invalid input: expected nonoptional, received undefined',
    );
    expect(strip({ multipleOf: 0.1 }, 0.3, strict)).toBe(0.3);
  });

  it('answer a hostile pattern at once', () => {
    expect(strip({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`, { strict: true })).toMatch(
      /must match/,
    );
    expect(strip({ type: 'string', pattern: '(?=a)b' }, 'b', { strict: true })).toMatch(/look-around/);
  });
});

describe('the schema of a tool', () => {
  const tool: StripOptions = { tool: 'input' };

  it('fills in defaults and gives null for what nothing describes and nothing holds', () => {
    expect(strip(object({ n: { type: 'number', default: 5 } }, []), {}, tool)).toEqual({ n: 5 });
    expect(strip({}, undefined, tool)).toBeNull();
    expect(strip({}, { a: undefined, b: [undefined, 1] }, tool)).toEqual({ a: null, b: [null, 1] });
    expect(strip(object({ n: number }, []), { n: undefined }, tool)).toEqual({});
  });

  it('copies, so that a tool may change what it gets', () => {
    const given = { list: [1] };
    const got = strip({}, given, tool) as typeof given;
    got.list.push(2);
    expect(given).toEqual({ list: [1] });
  });

  it('keeps keys that it describes in other ways', () => {
    for (const more of [
      { patternProperties: {} },
      { additionalProperties: number },
      { allOf: [] },
      { $ref: '#' },
    ]) {
      expect(strip(object({ a: {} }, ['a'], more), { a: 1, b: 2 }, tool)).toEqual({ a: 1, b: 2 });
    }
  });

  it('needs a full check only where stripping leaves something to find', () => {
    expect(
      isFullyStripped(object({ a: number, l: { type: 'array', items: { type: ['string', 'null'] } } })),
    ).toBe(true);
    for (const schema of [
      { type: 'string', minLength: 1 },
      { properties: {} },
      object({}, ['q']),
      { enum: [{}] },
      { type: 'x' },
      { type: 'array', items: [{}] },
      object({ a: { anyOf: [] } }),
    ]) {
      expect([schema, isFullyStripped(schema)]).toEqual([schema, false]);
    }
  });
});
