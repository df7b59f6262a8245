import { canonicalJson } from '../values/canonical-json.js';
import { textOf } from '../values/text.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import { filterOperator } from './pipe-filter.js';
import { sortOperator } from './pipe-sort.js';

export type PipeResult = { value: JsonValue } | { problem: string };

/** An argument of an operator. */
export interface PipeArgument {
  required?: boolean;
  default?: JsonValue;
  /** True when null is an ordinary value of this argument. */
  nullable?: boolean;
  accepts(value: JsonValue): boolean;
  /** What it must be, for messages. */
  expected: string;
}

/** An operator of a pipe. Source: graph facts §3.6. */
export interface PipeOperator {
  name: string;
  /** Declared types that it works on; absent = any. */
  input?: readonly ('string' | 'array')[];
  /** The type of what it gives; `same` keeps the input's, absent = unknown. */
  output?: 'string' | 'array' | 'same';
  arguments: { readonly [name: string]: PipeArgument };
  /** Rules over several arguments. */
  check?(values: JsonObject): string[];
  apply(value: JsonValue, values: JsonObject): PipeResult;
}

export const count = (name: string): Pick<PipeArgument, 'accepts' | 'expected'> => ({
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
  expected: `an integer of at least 0 (${name})`,
});
const text: Pick<PipeArgument, 'accepts' | 'expected'> = {
  accepts: (value) => typeof value === 'string',
  expected: 'text',
};
const someText: Pick<PipeArgument, 'accepts' | 'expected'> = {
  accepts: (value) => typeof value === 'string' && value !== '',
  expected: 'text that is not empty',
};

function onText(name: string, change: (value: string) => string): PipeOperator {
  return {
    name,
    input: ['string'],
    output: 'string',
    arguments: {},
    apply: (value) => (typeof value === 'string' ? { value: change(value) } : needs('text', value)),
  };
}

const operators: readonly PipeOperator[] = [
  onText('upper', (value) => value.toUpperCase()),
  onText('lower', (value) => value.toLowerCase()),
  {
    name: 'truncate',
    input: ['string'],
    output: 'string',
    arguments: { max_len: { required: true, ...count('characters kept') } },
    apply: (value, { max_len }) =>
      typeof value === 'string'
        ? { value: [...value].slice(0, max_len as number).join('') }
        : needs('text', value),
  },
  {
    name: 'slice',
    input: ['string', 'array'],
    output: 'same',
    arguments: {
      limit: { required: true, ...count('how many') },
      offset: { default: 0, ...count('where to start') },
    },
    apply: (value, { limit, offset }) => {
      const from = offset as number;
      const to = from + (limit as number);
      if (typeof value === 'string') return { value: [...value].slice(from, to).join('') };
      return Array.isArray(value) ? { value: value.slice(from, to) } : needs('text or a list', value);
    },
  },
  {
    name: 'replace',
    input: ['string'],
    output: 'string',
    arguments: { frm: { required: true, ...someText }, to: { default: '', ...text } },
    apply: (value, { frm, to }) =>
      typeof value === 'string'
        ? { value: value.split(frm as string).join(to as string) }
        : needs('text', value),
  },
  {
    name: 'pluck',
    input: ['array'],
    output: 'array',
    arguments: { key: { required: true, ...someText } },
    apply: (value, { key }) => {
      if (!Array.isArray(value)) return needs('a list', value);
      const values: JsonValue[] = [];
      for (const [index, item] of value.entries()) {
        if (!isObject(item) || !Object.hasOwn(item, key as string))
          return { problem: `finds no '${key}' in item ${index}` };
        values.push(item[key as string]!);
      }
      return { value: values };
    },
  },
  {
    name: 'join',
    input: ['array'],
    output: 'string',
    arguments: { sep: { default: '', ...text } },
    apply: (value, { sep }) =>
      Array.isArray(value) ? { value: value.map(itemText).join(sep as string) } : needs('a list', value),
  },
  {
    name: 'default',
    arguments: {
      value: { required: true, nullable: true, accepts: () => true, expected: 'the value to take instead' },
    },
    apply: (value, { value: replacement }) => ({
      value:
        value === null || value === '' || (Array.isArray(value) && value.length === 0) ? replacement! : value,
    }),
  },
  filterOperator,
  sortOperator,
  {
    name: 'unique',
    input: ['array'],
    output: 'array',
    arguments: { key: someText },
    apply: (value, { key }) => {
      if (!Array.isArray(value)) return needs('a list', value);
      const seen = new Set<string>();
      const kept: JsonValue[] = [];
      for (const [index, item] of value.entries()) {
        const part = keyed(item, key as string | undefined);
        if (part === undefined) return { problem: `finds no '${key}' in item ${index}` };
        const identity = canonicalJson(part);
        if (!seen.has(identity)) kept.push(item);
        seen.add(identity);
      }
      return { value: kept };
    },
  },
];

/** Every operator by name. */
export const pipeOperators: ReadonlyMap<string, PipeOperator> = new Map(
  operators.map((operator) => [operator.name, operator]),
);

function needs(wanted: string, value: JsonValue): PipeResult {
  return {
    problem: `needs ${wanted}, not ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`}`,
  };
}

function itemText(value: JsonValue): string {
  if (value === null) return '';
  return textOf(value);
}

function keyed(item: JsonValue, key: string | undefined): JsonValue | undefined {
  if (key === undefined) return item;
  return isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
}
