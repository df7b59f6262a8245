import { describe, expect, it } from 'vitest';
import { StepError } from '../../src/errors/errors.js';
import { compileJq } from '../../src/expressions/jq.js';
import { ExpressionSyntaxError } from '../../src/expressions/syntax-error.js';
import { scopeOf } from './scope.js';

type Parts = Parameters<typeof scopeOf>[0];

function evaluate(source: string, parts: Parts = {}) {
  return compileJq(source).evaluate(scopeOf(parts));
}

function failure(source: string, parts: Parts = {}): StepError {
  try {
    evaluate(source, parts);
  } catch (error) {
    if (error instanceof StepError) return error;
    throw error;
  }
  throw new Error(`'${source}' gives a value`);
}

describe('a jq expression', () => {
  it('sees the value, steps, inputs and loop', () => {
    const parts = {
      value: { a: 1 },
      steps: { 'my-id': { v: 7 } },
      inputs: { lang: '日本' },
      loop: { index: 2, item: 'x' },
    };
    expect(evaluate('[.a, $steps["my-id"].v, $inputs.lang, $loop.index, $loop.item]', parts)).toEqual([
      1,
      7,
      '日本',
      2,
      'x',
    ]);
  });

  it('sees null for what was not recorded, not declared or not around it', () => {
    expect(evaluate('[., $steps.ghost, $steps.ghost.x, $inputs.ghost, $loop]', { value: undefined })).toEqual(
      [null, null, null, null, null],
    );
    expect(evaluate('$inputs', { inputs: undefined })).toEqual({});
  });

  it('looks one step up without building the object of all steps [jq.lazy-steps]', () => {
    const scope = scopeOf({ steps: { a: { b: 1 }, c: 2 } });
    expect(compileJq('$steps.a.b + $steps["c"]').evaluate(scope)).toBe(3);
    expect(scope.built).toBe(0);
    expect(compileJq('$steps | keys').evaluate(scope)).toEqual(['a', 'c']);
    expect(scope.built).toBe(1);
  });

  it('must give exactly one value [jq.one-value]', () => {
    expect(failure('empty')).toMatchObject({
      code: 'jq_no_value',
      message: expect.stringMatching(/^jq 'empty': .*no value/),
    });
    expect(failure('.items[]', { value: { items: [1, 2] } })).toMatchObject({
      code: 'jq_many_values',
      message: expect.stringMatching(/^jq '\.items\[\]': .*more than one value.*\[\.\.\.\]/),
    });
    expect(failure('1, error("late")')).toBeInstanceOf(StepError);
    expect(evaluate('[.[] | select(. > 1)]', { value: [1, 2, 3] })).toEqual([2, 3]);
    expect(evaluate('first(.[])', { value: [1, 2] })).toBe(1);
  });

  it('fails with its own text', () => {
    expect(failure('error("salt is missing")')).toMatchObject({
      code: 'jq_failed',
      message: `jq 'error("salt is missing")': salt is missing`,
    });
    expect(failure('.a', { value: 'text' }).message).toContain("jq '.a': ");
    expect(failure(`error("x") # ${'long '.repeat(100)}`).message.length).toBeLessThan(120);
  });

  it('gives JSON numbers only', () => {
    expect(evaluate('nan')).toBeNull();
    expect(evaluate('infinite')).toBe(Number.MAX_VALUE);
    expect(evaluate('-infinite')).toBe(-Number.MAX_VALUE);
  });

  it('does not see prototypes [jq.no-prototypes]', () => {
    expect(
      evaluate('[.constructor, .__proto__, .toString, $steps.constructor, $inputs.__proto__]', { value: {} }),
    ).toEqual([null, null, null, null, null]);
    expect(evaluate('{"__proto__": 1} | .__proto__')).toBe(1);
  });

  it('ends when it would run for ever', () => {
    expect(failure('[repeat(1)]')).toMatchObject({ code: 'jq_failed' });
    expect(failure('def f: f; f')).toMatchObject({ code: 'jq_failed' });
  });

  it('warns about digits that fromjson loses', () => {
    const warnings: string[] = [];
    const scope = {
      ...scopeOf({ value: '[12345678901234567890]' }),
      warn: (message: string) => warnings.push(message),
    };
    compileJq('fromjson').evaluate(scope);
    expect(warnings).toEqual([expect.stringContaining('12345678901234567890')]);
  });

  it.each([
    ['.foo[', '', /unexpected end/],
    ['.a | nope', 'nope', /nope\/0 is not defined/],
    ['$stepz.x', '$stepz', /\$stepz is not defined/],
    ['"日本😀" | $nope', '$nope', /is not defined/],
    ['env', 'env', /./],
    ['input', 'input', /./],
  ])('%s is refused when compiled, with its place', (source, marked, message) => {
    const compile = () => compileJq(source);
    expect(compile).toThrow(ExpressionSyntaxError);
    expect(compile).toThrow(message);
    try {
      compile();
    } catch (error) {
      const { start, end } = error as ExpressionSyntaxError;
      expect(source.slice(start, end)).toBe(marked);
    }
  });

  it('names what it reads, with the place', () => {
    const source = '{"日": $steps.a.b[0], x: $inputs["my-in"], all: $steps}';
    expect(
      compileJq(source).references.map(({ root, path, start, end }) => [
        root,
        path,
        source.slice(start, end),
      ]),
    ).toEqual([
      ['steps', ['a', 'b', 0], '$steps.a.b[0]'],
      ['inputs', ['my-in'], '$inputs["my-in"]'],
      ['steps', [], '$steps'],
    ]);
  });
});
