import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPipe, readPipe } from '../../src/expressions/pipe.js';
import type { JsonObject, JsonValue } from '../../src/values/value.js';

const pipe = (value: JsonValue, op: string, args?: JsonObject) => {
  const { steps, problems } = readPipe([args === undefined ? { op } : { op, args }]);
  expect(problems).toEqual([]);
  return applyPipe(steps, value, 'run.inputs.x');
};

describe('pipe operators', () => {
  it.each<[string, JsonValue, JsonObject | undefined, JsonValue]>([
    ['upper', 'aß', undefined, 'ASS'],
    ['truncate', '日本🎉語', { max_len: 3 }, '日本🎉'],
    ['slice', '日本🎉語', { limit: 1, offset: 2 }, '🎉'],
    ['slice', [1, 2, 3], { limit: 5, offset: null }, [1, 2, 3]],
    ['replace', 'aXbX', { frm: 'X', to: '$&' }, 'a$&b$&'],
    ['pluck', [{ a: 1 }, { a: null }], { key: 'a' }, [1, null]],
    ['join', [null, true, 1.5, { b: [1] }, 'x'], { sep: '|' }, '|true|1.5|{"b":[1]}|x'],
    ['default', '', { value: null }, null],
    ['default', [], { value: 1 }, 1],
    ['default', {}, { value: 1 }, {}],
    ['default', false, { value: 1 }, false],
    ['filter', [{ n: 1 }, { n: true }, { n: '1' }, {}], { key: 'n', value: 1 }, [{ n: 1 }]],
    ['filter', [{ n: 1 }, { n: 3 }, { n: 'x' }, { n: null }], { key: 'n', op: 'gte', value: 2 }, [{ n: 3 }]],
    ['filter', [{ n: 1 }, { n: 2 }], { key: 'n', op: 'not_in', value: [2] }, [{ n: 1 }]],
    [
      'filter',
      [{ t: 'abc' }, { t: ['b'] }, { t: 1 }],
      { key: 't', op: 'contains', value: 'b' },
      [{ t: 'abc' }, { t: ['b'] }],
    ],
    ['filter', [{ n: null }, { n: 0 }, {}], { key: 'n', op: 'exists' }, [{ n: 0 }]],
    [
      'filter',
      [{ d: '2026-01-02' }, { d: null }, { d: '2026-01-01' }],
      { key: 'd', op: 'gt', value: '2026-01-01', as: 'date' },
      [{ d: '2026-01-02' }],
    ],
    [
      'filter',
      [{ d: '2026-01-01T09:00:00+09:00' }],
      { key: 'd', value: '2026-01-01T00:00:00Z', as: 'date' },
      [{ d: '2026-01-01T09:00:00+09:00' }],
    ],
    [
      'sort',
      [
        { k: 2, i: 1 },
        { k: null, i: 2 },
        { k: 1, i: 3 },
        { k: 2, i: 4 },
      ],
      { key: 'k', order: 'desc' },
      [
        { k: 2, i: 1 },
        { k: 2, i: 4 },
        { k: 1, i: 3 },
        { k: null, i: 2 },
      ],
    ],
    ['sort', ['𐀀', '￿', 'a'], undefined, ['a', '￿', '𐀀']],
    ['unique', [1, true, 1, { a: 1, b: 2 }, { b: 2, a: 1 }], undefined, [1, true, { a: 1, b: 2 }]],
    [
      'unique',
      [
        { k: 1, i: 1 },
        { k: 1, i: 2 },
      ],
      { key: 'k' },
      [{ k: 1, i: 1 }],
    ],
  ])('%s of %j', (op, value, args, expected) => {
    expect(pipe(value, op, args)).toEqual(expected);
  });

  it.each<[string, JsonValue, JsonObject | undefined]>([
    ['upper', 1, undefined],
    ['truncate', null, { max_len: 1 }],
    ['slice', {}, { limit: 1 }],
    ['pluck', [{ a: 1 }, {}], { key: 'a' }],
    ['pluck', [1], { key: 'a' }],
    ['join', 'x', undefined],
    ['filter', 'x', { key: 'a', op: 'exists' }],
    ['filter', [{ d: 'soon' }], { key: 'd', value: '2026-01-01', as: 'date' }],
    ['filter', [{ d: '2026-01-01T00:00:00Z' }], { key: 'd', value: '2026-01-01', as: 'date' }],
    ['sort', [1, 'a'], undefined],
    ['sort', [[1]], undefined],
    ['sort', [{}], { key: 'a' }],
    ['unique', [{}], { key: 'a' }],
  ])('%s fails on %j', (op, value, args) => {
    expect(() => pipe(value, op, args)).toThrow(expect.objectContaining({ code: 'pipe_failed' }));
  });

  it.each<[JsonValue[]]>([
    [[]],
    [['upper']],
    [[{ op: 'upper', other: 1 }]],
    [[{ op: 'toString' }]],
    [[{ op: 'upper', args: [] }]],
    [[{ op: 'truncate', args: { max_len: -1 } }]],
    [[{ op: 'truncate', args: { max_len: true } }]],
    [[{ op: 'default', args: {} }]],
    [[{ op: 'default', args: { value: { $ref: 'run.inputs.a' } } }]],
    [[{ op: 'filter', args: { key: 'k' } }]],
    [[{ op: 'filter', args: { key: 'k', op: 'in', value: 1 } }]],
    [[{ op: 'filter', args: { key: 'k', op: 'contains', value: 1 } }]],
    [[{ op: 'filter', args: { key: 'k', op: 'in', value: [], as: 'date' } }]],
    [[{ op: 'filter', args: { key: 'k', value: 'soon', as: 'date' } }]],
    [[{ op: 'sort', args: { key: '' } }]],
  ])('refuses %j', (steps) => {
    expect(readPipe(steps).problems).not.toEqual([]);
  });

  it('sorts like a stable sort that puts null last in both directions', () => {
    const rows = fc.array(fc.record({ k: fc.option(fc.integer({ min: 0, max: 3 })), i: fc.nat() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(rows, fc.constantFrom('asc', 'desc'), (list, order) => {
        const wanted = [...list].sort((a, b) => {
          if (a.k === null || b.k === null) return Number(a.k === null) - Number(b.k === null);
          return order === 'asc' ? a.k - b.k : b.k - a.k;
        });
        expect(pipe(list as JsonValue, 'sort', { key: 'k', order })).toEqual(wanted);
      }),
    );
  });
});
