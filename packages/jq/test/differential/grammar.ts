import fc from 'fast-check';
import type { JsonValue } from '../../src/index.js';

/** Values that programs are run on: small, with keys and texts that the generated programs mention. */
export const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom<JsonValue>(null, true, false, 0, 1, -1, 2, 3.5, 10, 1e3, -0.5) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'a,b', 'A1', 'é', '日本', '😀', ' x ', '12'),
    },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 3,
      arbitrary: fc
        .uniqueArray(
          fc.tuple(fc.constantFrom('a', 'b', 'c', 'key', 'value', 'name', '__proto__'), tie('value')),
          {
            maxLength: 4,
            selector: ([key]) => key,
          },
        )
        .map((entries) => Object.fromEntries(entries)),
    },
  ),
})).value;

const literals = fc.constantFrom(
  'null',
  'true',
  'false',
  '0',
  '1',
  '2',
  '-1',
  '1.5',
  '"a"',
  '"b"',
  '""',
  '"ab"',
  '[]',
  '{}',
);
const names = fc.constantFrom('a', 'b', 'c', 'key', 'value');

const nullary = fc.constantFrom(
  ...'add any all not length keys keys_unsorted values nulls numbers strings arrays objects scalars iterables booleans type tostring tojson tonumber toboolean sort unique reverse min max flatten first last to_entries from_entries empty error floor sqrt abs ascii_downcase ascii_upcase explode implode trim ltrim rtrim utf8bytelength paths tostream transpose recurse isempty(.[]) combinations isnan infinite nan fabs round ceil trunc significand logb frexp modf @text @json @csv @tsv @html @uri @sh @base64 @base64d fromjson'.split(
    ' ',
  ),
);
const unary = fc.constantFrom(
  ...'map select map_values sort_by group_by unique_by min_by max_by any all with_entries path paths del has contains inside in startswith endswith ltrimstr rtrimstr trimstr split join index rindex indices flatten range first last recurse walk to_entries add isempty error pick getpath bsearch IN INDEX limit(2;%) skip(1;%) nth(0;%) until(true;%) [%] try(%) tojson splits test scan capture match ascii_downcase'
    .split(' ')
    .filter((name) => !['to_entries', 'tojson', 'ascii_downcase'].includes(name)),
);

/** Programs as text. Every construct of the language can occur; depth is bounded. */
export const programs: fc.Arbitrary<string> = fc
  .letrec<{ program: string }>((tie) => {
    const p = tie('program');
    return {
      program: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        { weight: 3, arbitrary: fc.constant('.') },
        { weight: 4, arbitrary: literals },
        { weight: 4, arbitrary: names.map((name) => `.${name}`) },
        {
          weight: 2,
          arbitrary: fc.constantFrom(
            '.[]',
            '.[0]',
            '.[-1]',
            '.[1:]',
            '.[:1]',
            '..',
            '.[]?',
            '.a?',
            '.a.b?',
            '.[].a?',
            '.[0][1:]?',
            '.a[]?',
            '$x',
            '$__loc__',
          ),
        },
        { weight: 4, arbitrary: nullary },
        { weight: 5, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} | ${b})`) },
        { weight: 3, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a}, ${b})`) },
        {
          weight: 4,
          arbitrary: fc
            .tuple(
              p,
              fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', '//'),
              p,
            )
            .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(p, fc.constantFrom('=', '|=', '+=', '-=', '*=', '//='), p)
            .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
        },
        {
          weight: 5,
          arbitrary: fc
            .tuple(unary, p)
            .map(([name, a]) => (name.includes('%') ? name.replace('%', a) : `${name}(${a})`)),
        },
        { weight: 2, arbitrary: p.map((a) => `[${a}]`) },
        { weight: 2, arbitrary: fc.tuple(names, p, p).map(([name, a, b]) => `{${name}: ${a}, (${b}): 1}`) },
        { weight: 1, arbitrary: fc.tuple(names, p).map(([name, a]) => `{${name}, b: ${a}, "c"}`) },
        { weight: 2, arbitrary: fc.tuple(p, p, p).map(([a, b, c]) => `if ${a} then ${b} else ${c} end`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `if ${a} then ${b} end`) },
        { weight: 2, arbitrary: fc.tuple(p, p).map(([a, b]) => `(try ${paren(a)} catch ${paren(b)})`) },
        { weight: 2, arbitrary: p.map((a) => `${paren(a)}?`) },
        { weight: 2, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} as $x | ${b})`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} as [$x, {a: $y}] | ${b}, $y)`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} as {a: $x, $b} | ${b}, $b)`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} as [$x] ?// {a: $x} ?// $x | ${b})`) },
        {
          weight: 1,
          arbitrary: fc.tuple(p, p).map(([a, b]) => `(${a} as [$x, {a: $x, b: [$x]}] | ${b})`),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(p, p, p).map(([a, b, c]) => `reduce ${paren(a)} as $x (${b}; ${c})`),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(p, p, p).map(([a, b, c]) => `foreach ${paren(a)} as $x (${b}; ${c})`),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(p, p, p)
            .map(([a, b, c]) => `foreach ${paren(a)} as [$x] (${b}; ${c}; [., $x])`),
        },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(label $f | ${a} | (${b}, break $f))`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(def f: ${a}; ${b} | f)`) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(p, p, p)
            .map(([a, b, c]) => `(def f(g): g | ${a}; def h($y): $y, ${b}; f(h(${c})))`),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(p, p)
            .map(([a, b]) => `(def f: if length > 2 then ${a} else [.] | f end; ${b} | f)`),
        },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `"<\\(${a})-\\(${b})>"`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `${paren(a)}[${b}]`) },
        { weight: 1, arbitrary: fc.tuple(p, p, p).map(([a, b, c]) => `${paren(a)}[${b}:${c}]`) },
        { weight: 1, arbitrary: p.map((a) => `-${paren(a)}`) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(p, p)
            .map(([a, b]) => `[limit(3; ${a})] | ${b}`)
            .map(paren),
        },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `setpath([${a}]; ${b})`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `(. as $d | ${a} | gsub("[a-z]"; ${b}))`) },
        { weight: 1, arbitrary: fc.tuple(p, p).map(([a, b]) => `pow(${a}; ${b})`) },
      ),
    };
  })
  .program.map((program) => `. as $x | ${program}`);

function paren(program: string): string {
  return `(${program})`;
}
