import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors/errors.js';
import { acceptInputs, type InputDeclarations, parseInputArguments } from '../../src/plan/inputs.js';

const declarations: InputDeclarations = {
  id: { schema: { type: 'string' }, required: true, description: 'order number' },
  n: { schema: { type: 'integer', default: 5 }, required: false, default: 5 },
  list: { schema: { type: ['array', 'null'], default: null }, required: false, default: null },
  any: { schema: {}, required: true },
};

describe('parseInputArguments', () => {
  it('splits at the first =, keeps text for strings and reads JSON for everything else [steps.input-arguments]', () => {
    const pairs = ['id=0012', 'id=a=b', 'n=3', 'list=["日本"]', 'any={"a":[1]}', 'other=plain words'];
    expect(parseInputArguments(declarations, pairs).inputs).toEqual({
      id: 'a=b',
      n: 3,
      list: ['日本'],
      any: { a: [1] },
      other: 'plain words',
    });
  });

  it('keeps what is no JSON number as text', () => {
    expect(parseInputArguments(declarations, ['any=1e999', 'n=']).inputs).toEqual({ any: '1e999', n: '' });
  });

  it('sets only own properties', () => {
    const { inputs } = parseInputArguments({}, ['__proto__={"polluted":1}', 'constructor=1']);
    expect(Object.keys(inputs)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('warns about integers that lose digits', () => {
    const { warnings } = parseInputArguments(declarations, [
      'any=[12345678901234567890]',
      'id=12345678901234567890',
    ]);
    expect(warnings).toEqual([expect.stringContaining('12345678901234567890')]);
  });

  it.each(['justkey', '=value', ''])('refuses %j', (pair) => {
    expect(() => parseInputArguments(declarations, [pair])).toThrow(UsageError);
    expect(() => parseInputArguments(declarations, [pair])).toThrow(`--input '${pair}' must be KEY=VALUE`);
  });
});

describe('acceptInputs', () => {
  it('fills in defaults in the order of the declarations', () => {
    expect(acceptInputs(declarations, { any: 1, id: 'x' })).toEqual({ id: 'x', n: 5, list: null, any: 1 });
  });

  it('names every problem at once [steps.inputs-checked]', () => {
    const accept = () => acceptInputs(declarations, { idd: 'x', n: 'many', list: 3 });
    expect(accept).toThrow(UsageError);
    expect(accept).toThrow(
      "input 'idd' is not declared: did you mean 'id'?; input 'id' (order number) is required; " +
        `input 'n' must be an integer, not the text "many"; input 'list' must be an array or null, not 3; input 'any' is required`,
    );
  });

  it('does not take what a prototype has for an input', () => {
    expect(() => acceptInputs({ toString: { schema: {}, required: true } }, {})).toThrow(
      "input 'toString' is required",
    );
    expect(() => acceptInputs({}, { constructor: 1 })).toThrow("input 'constructor' is not declared");
  });

  it.each([[1], ['text'], [[1]]])('refuses %j as inputs', (given) => {
    expect(() => acceptInputs(declarations, given)).toThrow('inputs must be an object');
  });

  it('takes nothing for no inputs', () => {
    expect(acceptInputs({}, undefined)).toEqual({});
    expect(acceptInputs({}, null)).toEqual({});
  });
});
