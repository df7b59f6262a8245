import { afterEach, describe, expect, it } from 'vitest';
import { compile, JqCompileError, JqRuntimeError, type JsonValue } from '../src/index.js';

function codeOf(source: string, input: JsonValue = null): string {
  try {
    compile(source).one(input);
    return 'ok';
  } catch (error) {
    if (error instanceof JqCompileError || error instanceof JqRuntimeError) return error.code;
    throw error;
  }
}

describe('endless evaluations end', () => {
  const programs = [
    '[range(infinite)]',
    'def f: f; f',
    'def f: f | f; f',
    'def f: f, f; [f]',
    'def f: [f]; f',
    'def f: {a: f}; f',
    'def f: try f catch .; f',
    'def f: 1 + f; f',
    'def f(g): f(g | g); f(1)',
    'last(repeat(1))',
    'reduce repeat(1) as $x (0; . + 1)',
    '[foreach repeat(1) as $x (0; . + 1)]',
    'until(false; .)',
    '[while(true; .)]',
    '[recurse(.)]',
    'first(repeat(empty))',
    'label $out | repeat(1) | select(. > 1) | break $out',
    '[limit(1e12; repeat(1))]',
    'any(repeat(false); .)',
    '[1] | def f: . + . | f; f',
    'def f: . as $x | .["\\(length)"] = 1 | f; {} | f',
    '[range(1000)] | [combinations(4)]',
    '.[400000000] = 1',
  ];
  for (const program of programs) {
    it(program, () => {
      expect(['budget_exceeded', 'value_too_large']).toContain(codeOf(program));
    });
  }

  // Small in memory, since every level holds the one below twice, and endless for whatever goes through it.
  const shared = 'reduce range(60) as $i ([1]; [., .])';
  const uses = ['tojson', '"\\(.)"', '@html', 'sort', 'group_by(.)', '. == (tojson | fromjson)'];
  const pairs = ['==', '<', '>='].map((operator) => `${shared} as $a | ${shared} ${operator} $a`);
  for (const program of [...uses.map((use) => `${shared} | ${use}`), ...pairs]) {
    it(program, () => {
      const run = () => compile(program).one(null, {}, { budget: { steps: 100_000 } });
      expect(run).toThrow(expect.objectContaining({ code: 'budget_exceeded' }));
    });
  }

  // Each step of these goes through all of a large value.
  const characters = '("a" * 1000000) as $s';
  const elements = '[range(100000)] as $a';
  const rounds = 'range(1000000) as $i';
  for (const program of [
    `${characters} | [${rounds} | $s | length] | length`,
    `${characters} | [${rounds} | $s[1:] | length] | length`,
    `${characters} | [${rounds} | $s | ascii_upcase | startswith("B")] | length`,
    `${characters} | $s + $s | indices($s) | length`,
    ...[
      '$s == $t',
      '$s < $t',
      '[$s] == [$t]',
      '[$t] | contains(["x"])',
      '[$s, $t] | sort',
      '$s | explode',
    ].map((use) => `${characters} | ($s[1:] + "b") as $t | [${rounds} | ${use} | 1] | length`),
    `${elements} | $a + $a | map(1) | indices($a | map(1)) | length`,
    `${elements} | [${rounds} | $a[1:] | length] | length`,
    ...['keys', 'reverse', 'max', 'to_entries'].map(
      (name) => `${elements} | [${rounds} | $a | ${name} | 1] | length`,
    ),
    '[1] | first(combinations(1000000))',
  ]) {
    it(program, () => expect(codeOf(program)).toBe('budget_exceeded'));
  }

  it('text that is nearly a number is refused at once', () => {
    const text = `${'9'.repeat(1_000_000)}x`;
    expect(() => compile('tonumber').one(text)).toThrow(/cannot be parsed as a number/);
  });

  it('large values cost little', () => {
    const list = '[range(100000) | {a: [., {b: "x"}]}]';
    expect(codeOf(`${list} | [(. == .), (tojson | length), (sort_by(.a) | length)] | length`)).toBe('ok');
  });

  it('counts outputs', () => {
    const run = (): JsonValue[] => [...compile('repeat(1)').run(null, {}, { budget: { outputs: 10 } })];
    expect(run).toThrow(expect.objectContaining({ code: 'budget_exceeded' }));
    expect([...compile('limit(10; repeat(1))').run(null, {}, { budget: { outputs: 10 } })]).toHaveLength(10);
  });

  it('cannot be caught', () => {
    expect(codeOf('try last(repeat(1)) catch 1')).toBe('budget_exceeded');
    expect(codeOf('(last(repeat(1)))? // 1')).toBe('budget_exceeded');
  });

  it('takes a smaller budget', () => {
    const one = (steps: number): JsonValue =>
      compile('[range(1000)] | length').one(null, {}, { budget: { steps } });
    expect(() => one(100)).toThrow(expect.objectContaining({ code: 'budget_exceeded' }));
    expect(one(10_000)).toBe(1000);
  });
});

describe('regular expressions cannot run away', () => {
  const cases: [pattern: string, text: string][] = [
    ['(a+)+$', `${'a'.repeat(50)}b`],
    ['(a|aa)+$', `${'a'.repeat(100)}b`],
    ['(a|a?)+$', `${'a'.repeat(60)}b`],
    ['(.*)*x', 'a'.repeat(2000)],
    ['(?=(a+)*b)', 'a'.repeat(60)],
    ['(?<=(a|b|ab)*c)d', 'ab'.repeat(5000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
    ['(a*)*\\1b', 'a'.repeat(60)],
  ];
  for (const [pattern, text] of cases) {
    it(pattern, () => {
      expect(['budget_exceeded', 'ok']).toContain(codeOf(`test(${JSON.stringify(pattern)})`, text));
    });
  }

  it('uses no native stack', () => {
    expect(compile('test("^(a|b)*$")').one('ab'.repeat(100_000))).toBe(true);
    expect(compile('test("^(?:a(?=b|$)|b)*$")').one('ab'.repeat(50_000))).toBe(true);
    expect(codeOf(`test("${'('.repeat(5000)}")`)).toBe('error');
  });
});

describe('recursion uses the heap', () => {
  const cases: [program: string, result: JsonValue][] = [
    ['[limit(200000; repeat(1))] | length', 200_000],
    ['0 | def f: if . >= 200000 then . else . + 1 | f end; f', 200_000],
    ['200000 | def f: if . == 0 then 0 else (. - 1 | f) + 1 end; f', 200_000],
    ['def f($n): if $n == 0 then 0 else f($n - 1) + 1 end; f(200000)', 200_000],
    ['def f(g): if . == 0 then g else . - 1 | f(g) end; 200000 | f(1)', 1],
    ['def f(g): if . == 0 then g else . - 1 | f(g + 1) end; 100000 | f(1)', 100_001],
    ['def f: if . == 0 then empty else ., (. - 1 | f) end; [100000 | f] | length', 100_000],
    ['def f: if . == 0 then [] else [. - 1 | f] end; 5000 | f | tojson | length', 10_002],
    [
      'def f: if . == 0 then error("end") else try (. - 1 | f) catch error end; try (50000 | f) catch .',
      'end',
    ],
    ['def f: if . == 0 then 0 else reduce (. - 1 | f) as $x (0; $x + 1) end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else label $l | (. - 1 | f) + 1, break $l end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else (empty // (. - 1 | f)) + 1 end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else {a: (. - 1 | f)}.a + 1 end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else first(. - 1 | f) + 1 end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else (. - 1 | f) as $x | $x + 1 end; 50000 | f', 50_000],
    ['def f: if . == 0 then 0 else [foreach (. - 1 | f) as $x (0; $x)][0] + 1 end; 20000 | f', 20_000],
    ['[recurse(if . < 100000 then . + 1 else empty end)] | length', 100_001],
    ['last(range(1000000))', 999_999],
  ];
  for (const [program, result] of cases) {
    it(program, () => {
      expect(compile(program).one(null)).toEqual(result);
    });
  }
});

describe('deep values', () => {
  const nested = (depth: number): JsonValue => {
    let value: JsonValue = [];
    for (let level = 0; level < depth; level++) value = [value];
    return value;
  };
  const programs = [
    'tojson | length',
    'flatten',
    '[..] | length',
    'walk(.) | length',
    '. == .',
    '[., .] | unique | length',
    'contains([[]])',
    'map(.) | length',
    '[paths] | length > 0',
    'tostream',
    'def w: if type == "array" then map(w) else . end; w | length',
    '(.. | select(length == 0)) |= 1',
    'del(.. | select(length == 0))',
    'getpath([range(9000) | 0])',
    'setpath([range(9000) | 0]; 1)',
    '[splits("a")?]',
    '@json',
    '[leaf_paths]',
    'sort',
    'try error catch .',
  ];
  for (const program of programs) {
    it(`${program} gives a value or an error of jq's`, () => {
      for (const depth of [9_000, 100_000]) {
        const code = codeOf(`[limit(1; ${program})]`, nested(depth));
        expect(['ok', 'error', 'depth_exceeded', 'budget_exceeded']).toContain(code);
      }
    });
  }
});

describe('deep and large sources', () => {
  it('accepts 1,024 nested brackets and refuses one more', () => {
    const brackets = (count: number): string => '['.repeat(count) + ']'.repeat(count);
    expect(codeOf(brackets(1024))).toBe('ok');
    expect(codeOf(brackets(1025))).toBe('source_too_deep');
  });

  it('refuses 64 KiB and more', () => {
    expect(codeOf(`.${' '.repeat(65_535)}`)).toBe('ok');
    expect(codeOf(`.${' '.repeat(65_536)}`)).toBe('source_too_large');
    expect(codeOf(`"${'é'.repeat(32_768)}"`)).toBe('source_too_large');
  });

  it('never overflows the stack', () => {
    const sources = [
      `1${'+1'.repeat(30_000)}`,
      `.${'.a'.repeat(20_000)}`.slice(1),
      `.${'|.'.repeat(30_000)}`,
      `[.[]?${'|.[]?'.repeat(10_000)}]`,
      '-'.repeat(60_000),
      `${'try '.repeat(10_000)}1`,
      `${'if 1 then '.repeat(3_000)}1${' end'.repeat(3_000)}`,
      `${'1 as $x|'.repeat(5_000)}1`,
      `${'def f:1;'.repeat(5_000)}1`,
      `${'"\\('.repeat(1_500)}1${')"'.repeat(1_500)}`,
      `${'{a:'.repeat(1_024)}1${'}'.repeat(1_024)}`,
      `${'.['.repeat(1_024)}0${']'.repeat(1_024)}`,
      `${'map('.repeat(1_024)}.${')'.repeat(1_024)}`,
      `. as ${'['.repeat(1_024)}$x${']'.repeat(1_024)} | 1`,
      `${'reduce .[] as $x (0; '.repeat(900)}1${')'.repeat(900)}`,
    ];
    for (const source of sources) {
      expect([
        'ok',
        'syntax',
        'source_too_deep',
        'source_too_large',
        'depth_exceeded',
        'error',
        'no_output',
      ]).toContain(codeOf(source));
    }
  });

  it('does not grow with functions that double', () => {
    const doubling = Array.from(
      { length: 60 },
      (_, index) => `def f${index + 1}(g): ${index === 0 ? 'g | g' : `f${index}(g | g)`};`,
    );
    expect(codeOf(`${doubling.join(' ')} first(f60(.))`)).toBe('budget_exceeded');
    const pipes = Array.from({ length: 60 }, (_, index) => `def p${index + 1}: p${index} | p${index};`);
    expect(codeOf(`def p0: .; ${pipes.join(' ')} p60`)).toBe('budget_exceeded');
    const patterns = Array.from({ length: 30 }, () => '. as [$a] ?// $a | ').join('');
    expect(codeOf(`first(${patterns} 1)`)).toBe('ok');
  });
});

describe('names of JavaScript are plain keys', () => {
  afterEach(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('nothing is inherited', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length']) {
      expect(compile(`[.${key}, has("${key}"), (.["${key}"] | type), ("${key}" | in({}))]`).one({})).toEqual([
        null,
        false,
        'null',
        false,
      ]);
    }
    expect(compile('.constructor?, .length?').run([]).next().done).toBe(true);
    expect(compile('[{} | .toString, .valueOf, .__proto__.x]').one(null)).toEqual([null, null, null]);
    expect(compile('"a" | [.length?]').one(null)).toEqual([]);
    expect(compile('$v.constructor', { variables: ['v'] }).one(null, { v: {} })).toBe(null);
    expect(compile('$constructor', { variables: ['constructor'] }).one(null, {})).toBe(null);
  });

  const updates = [
    '.__proto__.polluted = 1',
    '.constructor.prototype.polluted = 1',
    '.["__proto__"] |= {polluted: 1}',
    'setpath(["__proto__", "polluted"]; 1)',
    '{"__proto__": {polluted: 1}}',
    '{("__proto__"): {polluted: 1}}',
    '[{key: "__proto__", value: {polluted: 1}}] | from_entries',
    '"{\\"__proto__\\": {\\"polluted\\": 1}}" | fromjson',
    '{} + ("{\\"__proto__\\": {\\"polluted\\": 1}}" | fromjson)',
    '{} * ("{\\"__proto__\\": {\\"polluted\\": 1}}" | fromjson)',
    '{a: {}} * {a: ("{\\"__proto__\\": {\\"polluted\\": 1}}" | fromjson)} | .a',
    '"x" | capture("(?<__proto__>x)") | {__proto__: {polluted: 1}}',
    'reduce 1 as $x ({}; .__proto__.polluted = $x)',
    'INDEX({polluted: 1}; "__proto__")',
    'with_entries(.)| .__proto__.polluted = 1',
    '[["__proto__", "polluted"], 1] | fromstream(., [["__proto__", "polluted"]], [["__proto__"]])',
    '{x: 1} | pick(.__proto__.polluted) | .__proto__.polluted = 1',
  ];
  for (const program of updates) {
    it(program, () => {
      const result = compile(`[${program}]`).one({}) as object[];
      for (const object of result) {
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
        expect(Object.keys(object).length).toBeGreaterThan(0);
      }
    });
  }

  it('keys survive round trips', () => {
    const input = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": {"__proto__": 3}}') as JsonValue;
    for (const program of [
      '.',
      'to_entries | from_entries',
      'with_entries(.)',
      'tojson | fromjson',
      'map_values(.)',
      'walk(.)',
      '. + {}',
      '. * {}',
      '[tostream] | fromstream(.[])',
      '. as {"__proto__": $p} | .["__proto__"] = $p',
    ]) {
      expect(JSON.stringify(compile(program).one(input))).toBe(JSON.stringify(input));
    }
    expect(compile('[paths]').one(input)).toEqual([
      ['__proto__'],
      ['constructor'],
      ['toString'],
      ['toString', '__proto__'],
    ]);
    expect(compile('del(.__proto__) | keys').one(input)).toEqual(['constructor', 'toString']);
    expect(compile('. as {constructor: $c} | $c').one(input)).toBe(2);
  });
});
