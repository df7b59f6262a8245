import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition, readCondition } from '../../src/expressions/condition.js';
import { parseTypedReference } from '../../src/expressions/typed-reference.js';
import { compileTypedValue, readTypedValue } from '../../src/expressions/typed-reference-value.js';
import type { JsonValue } from '../../src/values/value.js';
import { graphScope } from './graph-scope.js';

const scope = graphScope({
  inputs: { a: { b: [1, { c: null }] }, flag: false, text: '日本語🎉' },
  outputs: { n: { rows: [{ v: ['p'] }, { v: ['q'] }] } },
  loop: { index: 2, state: { s: 1 }, input: { i: 0 } },
  context: { reference_time: '2026-09-23T01:00:00.000Z' },
});
const evaluate = (value: JsonValue) => compileTypedValue(readTypedValue(value)).evaluate(scope);

describe('typed references', () => {
  it.each<[string, JsonValue]>([
    ['run.inputs.a.b[0]', 1],
    ['run.inputs.a.b[1].c', null],
    ['nodes.n.output.rows[1].v[0]', 'q'],
    ['nodes.n.output', { rows: [{ v: ['p'] }, { v: ['q'] }] }],
    ['loop.iteration', 2],
    ['loop.state', { s: 1 }],
    ['loop.input.i', 0],
    ['run.context.reference_time', '2026-09-23T01:00:00.000Z'],
  ])('%s gives its value', (source, value) => {
    expect(evaluate({ deep: [{ x: { $ref: source } }] })).toEqual({ deep: [{ x: value }] });
  });

  it.each([
    'run.inputs.zzz',
    'run.inputs.a.b[9]',
    'run.inputs.text[0]',
    'run.inputs.a[0]',
    'nodes.other.output',
    'run.inputs.__proto__',
    'run.inputs.a.constructor',
  ])('%s has no value', (source) => {
    expect(() => evaluate({ $ref: source })).toThrow(
      expect.objectContaining({ code: 'reference_unresolved' }),
    );
  });

  it.each([
    '',
    'run',
    'run.inputs',
    'run.inputs.',
    'run.inputs..a',
    'run.inputs.a[x]',
    'run.inputs.a[-1]',
    'run.inputs[0]',
    'nodes.a',
    'nodes.a.result',
    'nodes.a.output[0]',
    'loop',
    'loop.iteration.x',
    'loop.state[0]',
    'run.context.other',
    'steps.a',
    'run.inputs.a]',
  ])('%j is no path', (source) => {
    expect(parseTypedReference(source)).toHaveProperty('problem');
  });

  it('leaves everything without references as it is, text that looks like one included [graph.literals]', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(evaluate(['run.inputs.a', value as JsonValue])).toEqual(['run.inputs.a', value]);
      }),
    );
  });
});

describe('conditions', () => {
  const holds = (from_path: string, operator: string, value?: JsonValue) => {
    const { condition, issues } = readCondition({
      from_path,
      operator,
      ...(value === undefined ? {} : { value }),
    });
    expect(issues).toEqual([]);
    return compileCondition(condition!, 'false').evaluate(scope);
  };
  it.each<[string, string, JsonValue | undefined, boolean]>([
    ['run.inputs.flag', 'equals', false, true],
    ['run.inputs.flag', 'equals', 0, false],
    ['run.inputs.flag', 'exists', undefined, true],
    ['run.inputs.a.b[1].c', 'exists', undefined, false],
    ['run.inputs.a.b[1].c', 'equals', null, true],
    ['run.inputs.nope', 'equals', null, false],
    ['run.inputs.a.b', 'equals', [1, { c: null }], true],
    ['loop.iteration', 'in', [1, 2], true],
    ['loop.iteration', 'in', ['2', true], false],
    ['run.inputs.text', 'equals', '日本語🎉', true],
  ])('%s %s %j is %s', (path, operator, value, expected) => {
    expect(holds(path, operator, value)).toBe(expected);
  });

  it('fails on a missing path where a loop asks', () => {
    const { condition } = readCondition({ from_path: 'run.inputs.nope', operator: 'exists' });
    expect(() => compileCondition(condition!, 'error').evaluate(scope)).toThrow(
      expect.objectContaining({ code: 'reference_unresolved' }),
    );
  });
});
