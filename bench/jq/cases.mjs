/** Programs whose compilation is measured. */
export const sources = {
  'compile, small': '.a.b',
  'compile, medium': '[.items[] | select(.x > 3) | {a: .x, b: (.y | ascii_downcase)}] | sort_by(.a) | .[:10]',
};

/** A value whose JSON text has about ten million characters. */
function large() {
  const items = Array.from({ length: 100_000 }, (_, index) => ({
    id: index,
    name: `item number ${index} with some text`,
    tags: ['a', 'b'],
    nested: { x: index % 17, y: index / 3 },
  }));
  return { items };
}

/** What is compared: a program and its input, which every contender gets in the form it likes best. */
export function* cases() {
  const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
  const rows = numbers.map((value) => ({ a: value % 10, b: value }));
  yield { name: '`.a.b`', program: '.a.b', input: { a: { b: 1 } } };
  yield { name: '`{a: .x, b: .y}`', program: '{a: .x, b: .y}', input: { x: 1, y: 'z' } };
  yield { name: '`.a > 3 and .b == "x"`', program: '.a > 3 and .b == "x"', input: { a: 5, b: 'x' } };
  yield { name: '`"\\(.a)-\\(.b)"`', program: '"\\(.a)-\\(.b)"', input: { a: 5, b: 'x' } };
  yield {
    name: '`[.[] | select(.x > 1)]`, 3 items',
    program: '[.[] | select(.x > 1)]',
    input: [{ x: 1 }, { x: 2 }, { x: 3 }],
  };
  yield { name: '`.items[0]` of 10 MB', program: '.items[0]', input: large() };
  yield {
    name: '`map(select(. > 3)) | length`, 100k',
    program: 'map(select(. > 3)) | length',
    input: numbers,
  };
  yield { name: '`group_by(.a) | length`, 100k', program: 'group_by(.a) | length', input: rows };
  yield { name: '`sort_by(.b) | length`, 100k', program: 'sort_by(.b) | length', input: rows };
  yield {
    name: '`reduce range(1000000) …`',
    program: 'reduce range(1000000) as $i (0; . + $i)',
    input: null,
  };
  yield {
    name: '`reduce .[] as $x ([]; . + [$x])`, 100k',
    program: 'reduce .[] as $x ([]; . + [$x]) | length',
    input: numbers,
  };
  yield { name: '`.[] |= . + 1`, 100k', program: '.[] |= . + 1 | length', input: numbers };
  yield {
    name: '`gsub("[0-9]+"; "#")`, 1 MB',
    program: 'gsub("[0-9]+"; "#") | length',
    input: 'some text 123, '.repeat(70_000),
  };
  yield { name: '`[.. | numbers] | add`, 100k', program: '[.. | numbers] | add', input: rows };
  yield { name: '`tojson | length`, 100k', program: 'tojson | length', input: rows };
}
