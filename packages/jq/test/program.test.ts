import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  compile,
  JqCompileError,
  JqRuntimeError,
  type JsonValue,
  lazyObject,
  type Program,
  type Reference,
} from '../src/index.js';

function caught(run: () => unknown): JqCompileError | JqRuntimeError {
  try {
    run();
  } catch (error) {
    if (error instanceof JqCompileError || error instanceof JqRuntimeError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}

describe('compile errors', () => {
  const cases: [source: string, code: string, line: number, column: number, message: RegExp][] = [
    ['.a |', 'syntax', 1, 5, /unexpected end/],
    ['.a\n| foo', 'unknown_function', 2, 3, /foo\/0 is not defined/],
    ['map(selct(.a))', 'unknown_function', 1, 5, /Did you mean select\?/],
    ['map', 'unknown_function', 1, 1, /map takes 1 argument, not 0/],
    ['$stepz.a', 'undefined_variable', 1, 1, /Did you mean \$steps\?/],
    ['. as $x | $y', 'undefined_variable', 1, 11, /\$y is not defined/],
    ['break $out', 'undefined_label', 1, 1, /no label \$out/],
    ['@basee64', 'unknown_function', 1, 1, /Did you mean @base64/],
    ['env.PATH', 'refused_feature', 1, 1, /environment is not visible/],
    ['$ENV.PATH', 'refused_feature', 1, 1, /environment is not visible/],
    ['input', 'refused_feature', 1, 1, /one input/],
    ['[inputs]', 'refused_feature', 1, 2, /one input/],
    ['halt_error(1)', 'refused_feature', 1, 1, /cannot end its host/],
    ['input_filename', 'refused_feature', 1, 1, /does not read files/],
    ['import "a" as a; .', 'refused_feature', 1, 1, /Modules are not supported/],
    ['include "a"; .', 'refused_feature', 1, 1, /Modules are not supported/],
    ['"abc', 'syntax', 1, 1, /Unterminated string/],
    ['"a\\qb"', 'syntax', 1, 3, /Invalid escape/],
    ['{a: 1', 'syntax', 1, 6, /to close the object/],
    ['if . then 1', 'syntax', 1, 12, /to close the 'if'/],
    ['1 < 2 < 3', 'syntax', 1, 7, /cannot be chained/],
    ['internal::get(1)', 'unknown_function', 1, 1, /is not defined/],
  ];
  for (const [source, code, line, column, message] of cases) {
    it(`${source} is ${code} at ${line}:${column}`, () => {
      const error = caught(() => compile(source, { variables: ['steps'] }));
      expect(error).toBeInstanceOf(JqCompileError);
      expect(error).toMatchObject({ code, range: { line, column } });
      expect(error.message).toMatch(message);
    });
  }

  it('checks functions that are never called', () => {
    expect(caught(() => compile('def f: nothing; .'))).toMatchObject({ code: 'unknown_function' });
  });
});

describe('one', () => {
  it('gives the only value', () => {
    expect(compile('.a + 1').one({ a: 1 })).toBe(2);
  });

  it('refuses no value and a second one', () => {
    for (const source of ['empty', '.[]', 'select(false)', '.a?']) {
      expect(caught(() => compile(source).one([]))).toMatchObject({ code: 'no_output' });
    }
    for (const source of ['1, 2', 'repeat(1)', '1, error("not reached")', '.[]']) {
      const error = caught(() => compile(source).one([1, 2]));
      expect(['many_outputs', 'error']).toContain((error as JqRuntimeError).code);
    }
    expect(caught(() => compile('1, 2').one(null)).message).toMatch(/more than one value/);
  });

  it('stops at the second value', () => {
    const seen: JsonValue[] = [];
    caught(() => compile('1, 2, 3 | debug').one(null, {}, { onDebug: (value) => seen.push(value) }));
    expect(seen).toEqual([1, 2]);
  });
});

describe('run', () => {
  it('computes outputs when they are asked for', () => {
    const outputs = compile('repeat(1)').run(null);
    expect([outputs.next().value, outputs.next().value]).toEqual([1, 1]);
  });

  it('gives the outputs before an error', () => {
    const seen: JsonValue[] = [];
    const error = caught(() => {
      for (const value of compile('1, 2, error({a: 1})').run(null)) seen.push(value);
    });
    expect(seen).toEqual([1, 2]);
    expect(error).toMatchObject({ code: 'error', value: { a: 1 }, message: '(not a string): {"a":1}' });
  });

  it('says where an error was raised', () => {
    const error = caught(() => compile('.a |\n  (1 + .b)').one({ a: { b: [] } }));
    expect(error).toMatchObject({ code: 'error', range: { line: 2, column: 4 } });
    expect(error.message).toBe('number (1) and array ([]) cannot be added');
  });

  it('shortens values in messages', () => {
    const error = caught(() => compile('error').one('x'.repeat(5000)));
    expect(error.message.length).toBeLessThan(1100);
    expect((error as JqRuntimeError).value).toHaveLength(5000);
  });

  it('never changes its input', () => {
    const input = Object.freeze({ a: Object.freeze([1, Object.freeze({ b: 2 })]), c: Object.freeze({}) });
    const before = JSON.stringify(input);
    for (const source of [
      '.a[1].b |= 5',
      '.a += [1]',
      'del(.a[0])',
      '.c.x = 1',
      'reduce (1,2) as $i (.; .a += [$i])',
    ]) {
      compile(source).one(input as unknown as JsonValue);
      expect(JSON.stringify(input)).toBe(before);
    }
  });

  it('shares unchanged parts instead of copying them', () => {
    const input = { big: { x: [1] }, small: 1 };
    expect((compile('.small = 2').one(input) as typeof input).big).toBe(input.big);
    expect(compile('.big').one(input)).toBe(input.big);
  });

  it('keeps the values of one update apart from the next', () => {
    const program = compile('reduce range(3) as $i ([[]]; . + [[$i]]) | [., (.[0] += [9])]');
    expect(program.one(null)).toEqual([
      [[], [0], [1], [2]],
      [[9], [0], [1], [2]],
    ]);
    const init: JsonValue = { a: [0] };
    expect(compile('reduce (1, 2) as $i (.; .a += [$i])').one(init)).toEqual({ a: [0, 1, 2] });
    expect(init).toEqual({ a: [0] });
    expect(compile('[1] as $s | reduce (1, 2) as $i ({}; .a += $s | .b += $s) | [., $s]').one(null)).toEqual([
      { a: [1, 1], b: [1, 1] },
      [1],
    ]);
  });

  it('can be aborted before and between values', () => {
    const controller = new AbortController();
    const outputs = compile('1, 2').run(null, {}, { signal: controller.signal });
    expect(outputs.next().value).toBe(1);
    controller.abort(new Error('enough'));
    expect(caught(() => outputs.next())).toMatchObject({ code: 'aborted' });
    expect(caught(() => compile('1').one(null, {}, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
    });
  });

  it('can be nested', () => {
    const inner = compile('.[] + 1');
    const variables = { v: lazyObject({ get: () => [...inner.run([1, 2])], all: () => ({}) }) };
    expect(compile('[.[] | . + $v.x[0]]', { variables: ['v'] }).one([10, 20], variables)).toEqual([12, 22]);
  });

  it('refuses what is not JSON', () => {
    expect(caught(() => compile('type').one((() => 1) as unknown as JsonValue))).toMatchObject({
      code: 'invalid_value',
    });
    expect(compile('.a').one({ a: undefined } as unknown as JsonValue)).toBe(null);
  });
});

describe('variables', () => {
  it('are null when they are not given', () => {
    expect(compile('$a', { variables: ['a'] }).one(1)).toBe(null);
    expect(compile('$a.b', { variables: ['a'] }).one(1, { a: { b: 2 } })).toBe(2);
  });

  it('can be lazy: a key asks for that key, the bare name for everything, once', () => {
    const asked: string[] = [];
    const steps = lazyObject({
      get: (key) => {
        asked.push(key);
        return key === 'x' ? { y: 1 } : undefined;
      },
      all: () => {
        asked.push('*');
        return { x: { y: 2 } };
      },
    });
    const run = (source: string): JsonValue => compile(source, { variables: ['steps'] }).one('x', { steps });
    expect(run('$steps.x.y')).toBe(1);
    expect(run('$steps["x"].y')).toBe(1);
    expect(run('$steps[.].y')).toBe(1);
    expect(run('$steps.nothing')).toBe(null);
    expect(asked).toEqual(['x', 'x', 'x', 'nothing']);
    asked.length = 0;
    expect(run('[$steps, $steps.x.y, ($steps | keys)]')).toEqual([{ x: { y: 2 } }, 2, ['x']]);
    expect(asked).toEqual(['*']);
  });
});

describe('references', () => {
  const references = (source: string): [string, readonly (string | number)[], boolean][] =>
    compile(source, { variables: ['steps', 'inputs'] }).references.map(({ variable, path, complete }) => [
      variable,
      path,
      complete,
    ]);

  it('lists static paths of the variables from outside', () => {
    expect(references('$steps.x.y + $inputs["a-b"] + $steps')).toEqual([
      ['steps', ['x', 'y'], true],
      ['inputs', ['a-b'], true],
      ['steps', [], true],
    ]);
    expect(references('$steps.x[0].y?.z')).toEqual([['steps', ['x', 0, 'y', 'z'], true]]);
    expect(references('$steps[.name].y')).toEqual([['steps', [], false]]);
    expect(references('$steps.x[].y')).toEqual([['steps', ['x'], false]]);
    expect(references('.[$steps.a:] | "\\($inputs.b)" | . as [$x] | {($steps.c): $x}')).toHaveLength(3);
  });

  it('leaves out variables bound inside', () => {
    expect(references('. as $steps | $steps.x')).toEqual([]);
    expect(references('def f($steps): $steps.x; f(1)')).toEqual([]);
  });

  it('has positions', () => {
    const source = '1 +\n  $steps.a.b';
    const [reference] = compile(source, { variables: ['steps'] }).references as [Reference];
    expect(source.slice(reference.range.start, reference.range.end)).toBe('$steps.a.b');
    expect(reference.range).toMatchObject({ line: 2, column: 3 });
  });
});

describe('numbers', () => {
  it('are doubles; digits lost in fromjson are reported', () => {
    const lost: string[] = [];
    const options = { onPrecisionLoss: (literal: string) => lost.push(literal) };
    expect(compile('fromjson').one('[9007199254740993, 9007199254740992, 1.5, 1e400]', {}, options)).toEqual([
      9007199254740992,
      9007199254740992,
      1.5,
      Number.MAX_VALUE,
    ]);
    expect(lost).toEqual(['9007199254740993']);
    expect(compile('13911860366432393 | tojson').one(null)).toBe('13911860366432392');
    expect(compile('[have_decnum, have_literal_numbers]').one(null)).toEqual([false, true]);
  });
});

describe('keys', () => {
  it('keep the order of JavaScript objects', () => {
    expect(Object.keys(compile('{b: 1, a: 2} + {c: 3}').one(null) as object)).toEqual(['b', 'a', 'c']);
    expect(compile('tojson').one({ b: 1, a: { d: 1, c: 2 } })).toBe('{"b":1,"a":{"d":1,"c":2}}');
    expect(compile('keys').one({ b: 1, a: 2 })).toEqual(['a', 'b']);
    expect(compile('{b: 1, "1": 2} | tojson').one(null)).toBe('{"1":2,"b":1}');
  });

  it('sort by code point', () => {
    expect(compile('keys').one({ '\ufb01': 1, '😀': 2, a: 3 })).toEqual(['a', '\ufb01', '😀']);
  });
});

describe('text', () => {
  it('counts code points', () => {
    expect(
      compile('[length, .[1:3], (explode | length), test("^.{4}$"), index("本")]').one('日😀本x'),
    ).toEqual([4, '😀本', 4, true, 2]);
  });

  it('passes lone surrogates through and shows them escaped', () => {
    expect(compile('. + "x"').one('\ud800')).toBe('\ud800x');
    expect(compile('tojson').one('\ud800')).toBe('"\\ud800"');
    expect(compile('explode').one('\ud800')).toEqual([65533]);
    expect(compile('"\\udc00"').one(null)).toBe('\ufffd');
    expect(() => compile('"\\ud800"')).toThrow('Invalid surrogate pair in a string literal');
  });
});

describe('types', () => {
  it('are those of the documentation', () => {
    const program = compile('.');
    expectTypeOf(program).toEqualTypeOf<Program>();
    expectTypeOf(program.run).returns.toEqualTypeOf<IterableIterator<JsonValue>>();
    expectTypeOf(program.one).returns.toEqualTypeOf<JsonValue>();
    expectTypeOf(program.references).toEqualTypeOf<readonly Reference[]>();
    expectTypeOf<Parameters<typeof compile>[0]>().toEqualTypeOf<string>();
    expectTypeOf<JqCompileError['range']['line']>().toEqualTypeOf<number>();
    // @ts-expect-error a bigint is no JSON value
    void (() => program.one(1n));
  });
});
