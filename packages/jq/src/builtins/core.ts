import { computed } from '../compile/code.js';
import { describe } from '../values/describe.js';
import { formats } from '../values/format.js';
import { isTruthy, type JsonValue, typeName } from '../values/json.js';
import { parseJson } from '../values/json-parse.js';
import { jsonText, toText } from '../values/json-text.js';
import { Raised, raise } from '../values/raise.js';
import { codePointLength, utf8Length } from '../values/text.js';
import { type BuiltinTable, valueBuiltin, valueTable } from './builtin.js';

function lengthOf(value: JsonValue): JsonValue {
  switch (typeof value) {
    case 'string':
      return codePointLength(value);
    case 'number':
      return Math.abs(value);
    case 'boolean':
      return raise(`${describe(value)} has no length`);
    default:
      if (value === null || value === undefined) return 0;
      return Array.isArray(value) ? value.length : Object.keys(value).length;
  }
}

const numberText = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** Text to number as jq reads it; NaN and infinities have names. */
function toNumber(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    if (numberText.test(value)) return Math.max(Math.min(Number(value), Number.MAX_VALUE), -Number.MAX_VALUE);
    const word = /^([+-]?)(nan|infinity)$/i.exec(value);
    if (word !== null) {
      if (word[2]!.toLowerCase() === 'nan') return Number.NaN;
      return word[1] === '-' ? -Infinity : Infinity;
    }
  }
  return raise(`${describe(value)} cannot be parsed as a number`);
}

function toBoolean(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  return value === 'false' ? false : raise(`${describe(value)} cannot be parsed as a boolean`);
}

/** Types, conversions, errors and what does not fit elsewhere. */
export const coreBuiltins = (listBuiltins: () => string[]): BuiltinTable => [
  [
    'empty/0',
    {
      compile: () => ({
        ...computed(() => undefined, 'optional'),
        push: () => false,
        link: () => () => null,
      }),
    },
  ],
  ['not/0', { compile: () => computed((value) => !isTruthy(value)) }],
  ['type/0', { compile: () => computed((value) => typeName(value)) }],
  [
    'error/0',
    {
      compile: ({ node }) =>
        computed((value) => {
          throw new Raised(value, node.range);
        }),
    },
  ],
  [
    'error/1',
    valueBuiltin((_input, [message]) => {
      throw new Raised(message!);
    }),
  ],
  ['builtins/0', valueBuiltin(() => listBuiltins(), false)],
  ['now/0', valueBuiltin(() => Date.now() / 1000, false)],
  [
    'debug/0',
    {
      compile: () =>
        computed((value, env) => {
          env.context.onDebug?.(value);
          return value;
        }),
    },
  ],
  ['stderr/0', { compile: () => computed((value) => value) }],
  [
    'format/1',
    valueBuiltin((input, [name], context) => {
      const format = typeof name === 'string' ? formats.get(name) : undefined;
      if (typeof name !== 'string') return raise(`${describe(name!)} is not a valid format`);
      return format === undefined ? raise(`${name} is not a valid format`) : format(input, context);
    }),
  ],
  [
    'fromjson/0',
    valueBuiltin((input, _args, context) => {
      if (typeof input !== 'string') return raise(`${describe(input)} only strings can be parsed`);
      return parseJson(input, context);
    }, false),
  ],
  ...valueTable({
    'length/0': lengthOf,
    'utf8bytelength/0': (value) =>
      typeof value === 'string'
        ? utf8Length(value)
        : raise(`${describe(value)} only strings have UTF-8 byte length`),
    'tojson/0': (value, _args, context) => jsonText(value, context),
    'tostring/0': (value, _args, context) => toText(value, context),
    'tonumber/0': toNumber,
    'toboolean/0': toBoolean,
    'toarray/0': (value) => (Array.isArray(value) ? value : [value]),
    'input_line_number/0': () => 0,
    'have_decnum/0': () => false,
    'have_literal_numbers/0': () => true,
    'infinite/0': () => Infinity,
    'nan/0': () => Number.NaN,
  }),
];
