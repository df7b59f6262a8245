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
];

describe('differences found by differential runs', () => {
  for (const [program, input, ...outputs] of cases) {
    it(`${program} on ${JSON.stringify(input)}`, () => {
      expect(outcome(program, input)).toEqual(outputs);
    });
  }
});
