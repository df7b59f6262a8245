import { describe, expect, it } from 'vitest';
import { Problems } from '../../../src/plan/problems.js';
import { jsonOf } from '../../../src/plan/yaml/json-of.js';
import { readYaml } from '../../../src/plan/yaml/read-yaml.js';
import type { JsonValue } from '../../../src/values/value.js';
import { line } from '../../dialects/steps/load.js';

function read(text: string): { value?: JsonValue; problems: string[] } {
  const problems = new Problems({ file: 'w.yml', text });
  const node = readYaml(problems);
  const value = node && jsonOf(node, (problem) => problems.add(problem));
  return { value, problems: problems.list().map(line) };
}

function first(text: string): string {
  return read(text).problems[0] ?? 'no problem';
}

describe('JSON', () => {
  it.each([
    ['{"steps": [\n  {"jq": "." "id": "a"}\n]}', '2:14 json_syntax'],
    ['[1, 2', '1:6 json_syntax'],
  ])('%j is told in the words of JSON', (text, expected) => {
    for (const file of ['w.json', '<definition>']) {
      const problems = new Problems({ file, text });
      readYaml(problems);
      expect(problems.list().map(line)).toEqual([expect.stringContaining(expected)]);
    }
    expect(first(text)).toContain('yaml_syntax');
  });
});

describe('values', () => {
  it('are those of YAML 1.2 core: only what looks like JSON is no text [steps.yaml-core]', () => {
    const text = [
      'words: [yes, no, on, off, NO, y]',
      'numbers: [1, 1.5, 0o17, 0x1F, -2e3]',
      'texts: [1_000, 08:30, 2024-01-01, 1.2.3, 0b11, "1"]',
      'nulls: [null, ~, Null, ]',
      'empty:',
      'truths: [true, True, false]',
    ].join('\n');
    expect(read(text).value).toEqual({
      words: ['yes', 'no', 'on', 'off', 'NO', 'y'],
      numbers: [1, 1.5, 15, 31, -2000],
      texts: ['1_000', '08:30', '2024-01-01', '1.2.3', '0b11', '1'],
      nulls: [null, null, null],
      empty: null,
      truths: [true, true, false],
    });
  });

  it('of JSON are read by the same reader', () => {
    const value = { a: [1, { キー: null }], b: '\u2028 😀 \\ "', c: -0.5e-7, '': {} };
    expect(read(JSON.stringify(value))).toEqual({ value, problems: [] });
    expect(read(JSON.stringify(value, null, 2)).value).toEqual(value);
  });

  it('keep keys as they are written', () => {
    expect(read('1: a\ntrue: b\n1.10: c\n__proto__: d\nconstructor: e').value).toEqual(
      JSON.parse('{"1":"a","true":"b","1.10":"c","__proto__":"d","constructor":"e"}'),
    );
  });

  it('survive a byte order mark and Windows line breaks', () => {
    expect(read('\ufeffa: |\r\n  x\r\n  y\r\nb: 1\r\n').value).toEqual({ a: 'x\ny\n', b: 1 });
  });

  it('repeat with aliases', () => {
    expect(read('a: &x { v: [1] }\nb: *x\nc: [*x, *x]').value).toEqual({
      a: { v: [1] },
      b: { v: [1] },
      c: [{ v: [1] }, { v: [1] }],
    });
  });

  it('lose digits only with a warning', () => {
    expect(read('a: 12345678901234567890').problems).toEqual([
      '1:4 lossy_integer: the integer 12345678901234567890 loses digits (it becomes 12345678901234567000): write it as text, in quotes',
    ]);
    expect(read('a: [9007199254740993, 9007199254740992]').problems).toHaveLength(1);
  });

  it('that JSON does not know are refused', () => {
    expect(first('a: [1, .inf]')).toBe('1:8 wrong_type: .inf is no JSON number');
    expect(first('a: .nan')).toContain('.nan is no JSON number');
  });
});

describe('broken text', () => {
  it.each([
    ['', '1:1 empty_file'],
    ['# only a comment\n', '1:1 empty_file'],
    ['a: "x', '1:6 yaml_syntax'],
    ['a: b: c', '1:4 yaml_syntax'],
    ['a: [1, 2', '1:9 yaml_syntax'],
    ['a:\n\t- b', '2:1 yaml_tab: a tab cannot indent YAML: use spaces'],
    ['a: 1\na: 2', "2:1 duplicate_key: the key 'a' is already given in line 1: each key may appear once"],
    ['{"a": {"b": 1, "b": 2}}', "1:16 duplicate_key: the key 'b'"],
    ['a: !include x.yml', '1:4 yaml_tag: unknown tag !include'],
    ['a: !!binary aGk=', '1:4 yaml_tag'],
    ['a: !!set { x, y }', '1:4 yaml_tag'],
    ['a: 1\n---\nb: 2', '2:1 yaml_documents: a file holds one document'],
    ['a: *nope', '1:4 yaml_alias: the alias *nope has no anchor &nope before it'],
    ['a: &x [1, *x]', '1:11 yaml_alias: the alias *x lies inside its own anchor'],
    ['a: &x { y: 1 }\nb: { <<: *x }', '2:6 yaml_merge'],
    ['? [a]\n: b', '1:3 yaml_key: a key must be text'],
    ['a: "x\u0000y"', '1:6 control_character: the file holds the control character U+0000 (NUL)'],
    ['a: \u001b[0m', '1:4 control_character: the file holds the control character U+001B'],
    ['日本: "\\ud83d"', '1:5 lone_surrogate'],
    ['a: "\\ud83d\\ude00 \\udc00"', '1:4 lone_surrogate'],
    ['a: @x', '1:4 yaml_syntax'],
    ['a: %x', '1:4 yaml_syntax'],
  ])('%j', (text, expected) => {
    expect(first(text).slice(0, expected.length)).toBe(expected);
    expect(read(text).value).toBeUndefined();
  });

  it('reads a pair of surrogate escapes as one character', () => {
    expect(read('a: "\\ud83d\\ude00"').value).toEqual({ a: '😀' });
  });

  it('reports every duplicate key and every bad alias together', () => {
    expect(
      read('a: 1\na: 2\nb: *x\nc: { d: 1, d: 2 }').problems.map((problem) => problem.split(':')[0]),
    ).toEqual(['2', '3', '4']);
  });
});

describe('hostile text ends in a problem, not in a crash or a wait', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...Array.from({ length: 12 }, (_, index) => {
      const name = String.fromCharCode(98 + index);
      const before = `*${String.fromCharCode(97 + index)}`;
      return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join(', ')}]`;
    }),
  ].join('\n');

  const chain = [
    `a: &a ${'['.repeat(150)}x${']'.repeat(150)}`,
    ...Array.from({ length: 20 }, (_, index) => {
      const name = String.fromCharCode(98 + index);
      return `${name}: &${name} ${'['.repeat(150)}*${String.fromCharCode(97 + index)}${']'.repeat(150)}`;
    }),
  ].join('\n');

  it.each([
    ['deep flow collections', `a: ${'['.repeat(200_000)}`, 'too_deep'],
    ['deep mappings', '{a: '.repeat(50_000), 'too_deep'],
    ['deep block lists', `${'- '.repeat(20_000)}x`, 'too_deep'],
    [
      'deep block mappings',
      Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'too_deep',
    ],
    ['multiplying aliases', bomb, 'yaml_alias'],
    ['aliases that lead ever deeper', chain, 'too_deep'],
    ['endless tokens', `[${'1,'.repeat(600_000)}]`, 'too_complex'],
  ])('%s', (_, text, code) => {
    expect(first(text).split(' ')[1]).toBe(`${code}:`);
  });

  it('many keys of one mapping are compared in linear work [steps.yaml-bounded]', () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `k${index}: ${index}`).join('\n');
    expect(Object.keys(read(text).value as object)).toHaveLength(50_000);
  });

  it('bounds the number of problems, too', () => {
    const text = `a: 1\n${'a: 1\n'.repeat(2000)}`;
    const { problems } = read(text);
    expect(problems).toHaveLength(1001);
    expect(problems.at(-1)).toContain('1000 more problems are not shown');
  });
});
