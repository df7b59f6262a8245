import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problems } from '../../../src/plan/problems.js';
import { readJson } from '../../../src/plan/yaml/read-json.js';
import { readYaml } from '../../../src/plan/yaml/read-yaml.js';

function nodesOf(text: string) {
  const problems = new Problems({ file: 'w.json', text });
  const root = readYaml(problems);
  return { root, problems: problems.list() };
}

/** A comment is no JSON: behind the same text it leaves the text to the reader of YAML. */
const asYaml = (text: string) => nodesOf(`${text}\n# end\n`);

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    'true',
    '1',
    '<<',
    '__proto__',
    'a: b',
    '- a',
    '# no',
    "'",
    '\t',
    '\n',
    '\r\n',
    '\0',
  ),
);
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constant(-0),
);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('plain JSON', () => {
  it('gives the nodes and places that the reader of YAML gives', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, values, { maxKeys: 4 }), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(nodesOf(text)).toEqual(asYaml(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is read however it is spaced, and with numbers as they are written', () => {
    const text =
      '  {"a" :1e3 ,"b":\n[ 1.10,-0.0 ,1E+2,123456789012345678901234567890, {} , [ ] ],"\\u00e9\\/":"\\ud83d\\ude00"\n } \n';
    expect(readJson(text)).toEqual(asYaml(text).root);
  });

  it('is left to the reader of YAML when there is something to say about it', () => {
    const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`;
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":"\\ud800"}',
      '{"\\udc00":1}',
      '{"a":\t1}',
      '{"a":1}\r\n',
      '{a: 1}',
      '{"a":1,}',
      '[1]',
      deep,
    ]) {
      expect(readJson(text), text).toBeUndefined();
    }
    expect(nodesOf(deep)).toEqual(asYaml(deep));
  });
});
