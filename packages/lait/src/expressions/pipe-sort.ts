import { compareText } from '../values/compare-text.js';
import { isObject, type JsonValue } from '../values/value.js';
import type { PipeOperator } from './pipe-operators.js';

/** `sort`: stable, nulls last in both directions; booleans, numbers and texts may not be mixed. Facts §3.6. */
export const sortOperator: PipeOperator = {
  name: 'sort',
  input: ['array'],
  output: 'array',
  arguments: {
    key: {
      accepts: (value) => typeof value === 'string' && value !== '',
      expected: 'text that is not empty',
    },
    order: {
      default: 'asc',
      accepts: (value) => value === 'asc' || value === 'desc',
      expected: "'asc' or 'desc'",
    },
  },
  apply: (value, { key, order }) => {
    if (!Array.isArray(value)) return { problem: 'needs a list' };
    const entries: { item: JsonValue; by: JsonValue }[] = [];
    let kind: string | undefined;
    for (const [index, item] of value.entries()) {
      const by =
        key === undefined
          ? item
          : isObject(item) && Object.hasOwn(item, key as string)
            ? item[key as string]!
            : undefined;
      if (by === undefined) return { problem: `finds no '${key}' in item ${index}` };
      if (by !== null) {
        if (typeof by === 'object')
          return { problem: `cannot order item ${index}: only booleans, numbers and texts have an order` };
        if (kind !== undefined && kind !== typeof by)
          return { problem: `cannot order ${kind} and ${typeof by} together` };
        kind = typeof by;
      }
      entries.push({ item, by });
    }
    const direction = order === 'desc' ? -1 : 1;
    entries.sort((left, right) => {
      if (left.by === null || right.by === null) return Number(left.by === null) - Number(right.by === null);
      return direction * compare(left.by, right.by);
    });
    return { value: entries.map((entry) => entry.item) };
  },
};

function compare(left: JsonValue, right: JsonValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return Number(left) - Number(right);
}
