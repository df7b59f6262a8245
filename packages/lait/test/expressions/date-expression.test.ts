import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateDateExpression, readDateExpression } from '../../src/expressions/date-expression.js';
import { localInstant, zonedFields } from '../../src/expressions/date-expression-zone.js';
import type { JsonObject } from '../../src/values/value.js';
import { graphScope } from './graph-scope.js';

const evaluate = (
  body: JsonObject,
  now = '2026-09-23T01:00:00Z',
  context: JsonObject = {},
  inputs: JsonObject = {},
) => {
  const { expression, problems } = readDateExpression({
    kind: 'date_math',
    version: 1,
    anchor: 'now',
    result: 'date',
    ...body,
  });
  expect(problems).toEqual([]);
  return evaluateDateExpression(
    expression!,
    graphScope({ inputs, context: { reference_time: now, ...context } }),
  );
};

describe('date expressions', () => {
  it.each<[JsonObject, string, string]>([
    [{ math: '' }, '2026-09-23T23:30:00Z', '2026-09-23'],
    [{ math: '', timezone: 'Asia/Tokyo' }, '2026-09-23T23:30:00Z', '2026-09-24'],
    [{ math: '/y-1d' }, '2026-09-23T01:00:00Z', '2025-12-31'],
    [{ math: '+1y' }, '2024-02-29T00:00:00Z', '2025-02-28'],
    [{ math: '-1M' }, '2026-03-31T00:00:00Z', '2026-02-28'],
    [{ math: '/w', week_starts_on: 'sunday' }, '2026-09-27T00:00:00Z', '2026-09-27'],
    [{ math: '/w' }, '2026-09-27T00:00:00Z', '2026-09-21'],
    [{ math: '+90m/h', result: 'datetime' }, '2026-09-23T01:00:00Z', '2026-09-23T02:00:00+00:00'],
    // A day across a change of the clocks keeps the time on the wall, 24 hours do not.
    [
      { math: '+1d', timezone: 'Europe/Berlin', result: 'datetime' },
      '2026-03-28T11:00:00Z',
      '2026-03-29T12:00:00+02:00',
    ],
    [
      { math: '+24h', timezone: 'Europe/Berlin', result: 'datetime' },
      '2026-03-28T11:00:00Z',
      '2026-03-29T13:00:00+02:00',
    ],
    // 02:30 does not exist that day and moves forward.
    [
      { math: '+1d', timezone: 'Europe/Berlin', result: 'datetime' },
      '2026-03-28T01:30:00Z',
      '2026-03-29T03:30:00+02:00',
    ],
    // 02:30 exists twice: the first one is meant.
    [
      { math: '+1d', timezone: 'Europe/Berlin', result: 'datetime' },
      '2026-10-24T00:30:00Z',
      '2026-10-25T02:30:00+02:00',
    ],
    [
      { math: '/d', timezone: 'America/Sao_Paulo', result: 'datetime' },
      '2018-11-04T12:00:00Z',
      '2018-11-04T01:00:00-02:00',
    ],
  ])('%j at %s', (body, now, expected) => {
    expect(evaluate(body, now)).toBe(expected);
  });

  it('counts from a date or time of the run, in the zone of the run', () => {
    const anchored = (day: string, context: JsonObject = {}) =>
      evaluate({ anchor: { $ref: 'run.inputs.day' }, math: '+1d', result: 'datetime' }, undefined, context, {
        day,
      });
    expect(anchored('2026-01-31')).toBe('2026-02-01T00:00:00+00:00');
    expect(anchored('2026-01-31', { time_zone: 'Asia/Tokyo' })).toBe('2026-02-01T00:00:00+09:00');
    expect(anchored('2026-01-31T05:00:00')).toBe('2026-02-01T05:00:00+00:00');
    expect(() => anchored('tomorrow')).toThrow(expect.objectContaining({ code: 'expression_failed' }));
    expect(() => evaluate({ math: '+9999y' })).toThrow(
      expect.objectContaining({ code: 'expression_failed' }),
    );
    expect(() => evaluate({ math: '+999999999d' })).toThrow(
      expect.objectContaining({ code: 'expression_failed' }),
    );
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/New_York'])('knows no day before the year 1 in %s', (timezone) => {
    const first = '0001-01-01T12:00:00Z';
    expect(evaluate({ math: '/d', timezone }, first)).toBe('0001-01-01');
    for (const math of ['-1d', '-36h', '-1w', '-400d', '-1M', '-1y'])
      expect(() => evaluate({ math, timezone }, first)).toThrow(
        expect.objectContaining({ code: 'expression_failed' }),
      );
  });

  it('counts days before 1582 by the same calendar in every zone', () => {
    const day = (timezone: string) => evaluate({ math: '/M+1M', timezone }, '1500-02-10T12:00:00Z');
    expect(['UTC', 'Asia/Tokyo', 'Europe/Paris'].map(day)).toEqual(Array(3).fill('1500-03-01'));
  });

  it.each<[JsonObject]>([
    [{ kind: 'x' }],
    [{ version: '1' }],
    [{ anchor: 1 }],
    [{ anchor: 'steps.x' }],
    [{ math: '+d' }],
    [{ math: '1d' }],
    [{ math: '+1d ' }],
    [{ math: 1 }],
    [{ timezone: 'Mars/Olympus' }],
    [{ week_starts_on: 'Sunday' }],
    [{ result: 'time' }],
    [{ extra: 1 }],
  ])('refuses %j', (body) => {
    expect(
      readDateExpression({ kind: 'date_math', version: 1, anchor: 'now', result: 'date', ...body }).problems,
    ).toHaveLength(1);
  });

  it('finds the instant of every wall clock that an instant shows', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Asia/Tokyo',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'Australia/Lord_Howe',
    );
    fc.assert(
      fc.property(fc.integer({ min: -2e12, max: 4e12 }), zones, (instant, zone) => {
        const shown = zonedFields(instant, zone);
        const found = localInstant(shown, zone);
        // The clock may show the same twice; then the first time is found.
        expect(zonedFields(found, zone)).toEqual(shown);
        expect(found).toBeLessThanOrEqual(instant);
      }),
      { numRuns: 500 },
    );
  });
});
