import { describe, expect, it } from 'vitest';
import { compile, JqRuntimeError, type JsonValue } from '../src/index.js';

/** Outputs of a program; an error ends them as `{ error: message }`. */
function outcome(program: string, input: JsonValue): JsonValue[] {
  const outputs: JsonValue[] = [];
  try {
    for (const output of compile(program).run(input)) outputs.push(output);
  } catch (error) {
    if (!(error instanceof JqRuntimeError)) throw error;
    outputs.push({ error: error.message });
  }
  return outputs;
}

/** What differential runs have found, as the reference build answers it. */
const cases: [program: string, input: JsonValue, ...outputs: JsonValue[]][] = [
  ['. as [$x, {a: $y}] | 1', 'a', { error: 'Cannot index string with number (1)' }],
  ['. % "a"', [1], { error: 'array ([1]) and string ("a") cannot be divided (remainder)' }],
  ['-(.) / (., 1)', {}, { error: 'object ({}) cannot be negated' }],
  ['map(isnan, isinfinite, isnormal)', [null], [false, false, false]],
  ['.[{key, b: error("later")}]', 'a', { error: 'Cannot index string with string ("key")' }],
  [
    'map(try abs catch .)',
    [null, 'a', [], true, -1],
    ['null (null) cannot be negated', 'a', [], 'boolean (true) cannot be negated', 1],
  ],
  ['range(.)', [1], { error: 'Range bounds must be numeric' }],
  ['[limit(1; range(.))]', [1], { error: 'Range bounds must be numeric' }],
  ['try test([1]) catch .', 'a', 'number (1) is not a string'],
  ['try capture(.) catch .', [0, 10], 'array ([0,10]) cannot be matched, as it is not a string'],
  ['@tsv', [[]], { error: 'array ([]) is not valid in a csv row' }],
  ['has("a"), has(0), has(null)', null, false, false, false],
  ['setpath([nan, []]; 1)', [], { error: 'Cannot set array element at NaN index' }],
  ['setpath([[], "a"]; 1)', [], { error: 'Cannot update field at array index of array' }],
  ['bsearch(2)', [3, 1], -3],
  ['bsearch([1, 0])', [[3], 0], -3],
  [
    'try fromjson catch .',
    '日本',
    "Invalid numeric literal at EOF at line 1, column 6 (while parsing '日本')",
  ],
  ['fromjson', 1, { error: 'number (1) only strings can be parsed' }],
  ['path(. + []), path(. + {})', [1], [], { error: 'array ([1]) and object ({}) cannot be added' }],
  ['(. += .) |= 1', 'é', { error: 'Invalid path expression near attempt to access element 0 of ["éé",[]]' }],
  [
    'true | contains(false)',
    null,
    { error: 'boolean (true) and boolean (false) cannot have their containment checked' },
  ],
  ['[true] | contains([false])', null, false],
  ['[-., -0, (0 | -.)] | tojson', 0, '[0,0,0]'],
  ['reduce (. as [$a] ?// $a | $a) as $x (1; .a)', [5], null],
  ['transpose', { a: 10, b: [1] }, { error: 'Cannot index number with number (0)' }],
  [
    'path(foreach .a as $x (.; .; .b))',
    { a: 1 },
    { error: 'Invalid path expression near attempt to access element "b" of {"a":1}' },
  ],
  ['[repeat(.*2, error)?]', 1, [2]],
  ['[.[].a?]', [1, { a: 2 }], [2]],
  ['[.[]?.a?]', [1, { a: 2 }], [2]],
  ['.a.b.c?', { a: 1 }, { error: 'Cannot index number with string ("b")' }],
  ['[.a.b[]?]', { a: 1 }, { error: 'Cannot index number with string ("b")' }],
  ['[(.a.b.c)?, .a.b??]', { a: 1 }, []],
  ['[.[error("key")]?]', [1], { error: 'key' }],
  ['[.a[1, "b", 0]?]', { a: [5, 6] }, [6, 5]],
  ['[path(.[].a?)]', [{}, 1], [[0, 'a']]],
  ['(.[].a?) |= 1', [{}, 2], [{ a: 1 }, 2]],
  ['[.[1:]?, .[0]?, .[]?]', 5, []],
  ['[limit(2; repeat(.[].a?))]', [1, { a: 1 }], [1, 1]],
  ['. as [$a, [$a]] | $a', [1, [2]], 2],
  ['. as {a: $x, b: $x} | $x', { a: 1, b: 2 }, 1],
  ['. as {$a: [$a]} | $a', { a: [1] }, [1]],
  ['. as {("a", "b"): $x, c: $x} | $x', { a: 1, b: 2, c: 3 }, 1, 2],
  ['limit("a"; empty), limit("a"; 1)', null, { error: 'string ("a") and number (1) cannot be subtracted' }],
  ['[skip(1.5; 1, 2, 3)], [limit(1.5; 1, 2, 3)]', null, [2, 3], [1, 2]],
  ['skip([]; 1)', null, { error: 'array ([]) and number (1) cannot be subtracted' }],
  ['splits("a"; "b")', 'a', { error: 'bg is not a valid modifier string' }],
  [
    'fromjson',
    '["a\tb"]',
    {
      error:
        'Invalid string: control characters from U+0000 through U+001F must be escaped at line 1, column 6 (while parsing \'["a\tb"]\')',
    },
  ],
  ['fromjson', '"\\udc00"', '\ufffd'],
  [
    'fromjson',
    '"\\u12"',
    { error: 'Invalid \\uXXXX escape at line 1, column 6 (while parsing \'"\\u12"\')' },
  ],
  ['fromjson', '1,2', { error: "Expected value before ',' at line 1, column 2 (while parsing '1,2')" }],
  // A sequence that the end cuts off is one U+FFFD, with all that stands in it, and so is one that is too long.
  ['@base64d', null, '\ufffd\ufffd'],
  ['@base64d', Buffer.from([0xe0, 0x80, 0x80, 0x41, 0xf0, 0x9f]).toString('base64'), '\ufffdA\ufffd'],
  ['strptime("%Y")', '2015x', { error: 'date "2015x" does not match format "%Y"' }],
  ['strptime("%Y") | .[8]', '2015 x', ' x'],
  ['gmtime | .[5]', -1.5, 59.5],
  [
    '[.[0] < .[1], .[0] > .[1], .[0] == .[1]]',
    ['\ue000', '😀'].map((end) => 'あ'.repeat(3000) + end),
    [true, false, false],
  ],
  ['[.[0] < .[1], .[0] > .[1]]', ['y', 'x'].map((end) => 'a'.repeat(2048) + end), [false, true]],
  ['mktime', [-350, 0, 1, 0, 0, 0, 0, 0], -73212076800],
  ['gmtime', 8.64e12, [275760, 8, 13, 0, 0, 0, 6, 256]],
  ['strftime("%A %j")', [2015, 2, 5], 'Thursday 064'],
  ['strftime("%F")', [2024, 1, 30], '2024-03-01'],
];

it('shows what a capture is without a match in the order of jq', () => {
  const program = compile('match("(?<x>b)?a").captures | tojson');
  expect(program.one('a')).toBe('[{"offset":-1,"string":null,"length":0,"name":"x"}]');
});

describe('differences found by differential runs', () => {
  for (const [program, input, ...outputs] of cases) {
    it(`${program} on ${JSON.stringify(input)}`, () => {
      expect(outcome(program, input)).toEqual(outputs);
    });
  }
});
