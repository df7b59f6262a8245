import { isCalendarDate, readIsoTime } from '../schema/date-format.js';
import { compareText } from '../values/compare-text.js';
import { jsonEqual } from '../values/json-equal.js';
import { shownJson } from '../values/text.js';
import { isObject, type JsonValue } from '../values/value.js';
import { wallClock } from './date-expression-zone.js';
import type { PipeOperator } from './pipe-operators.js';

const ordering = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
const comparisons = [...ordering, 'in', 'not_in', 'contains', 'exists'];

/** `filter`: keeps the items of a list whose `key` compares as asked, in order. Facts §3.6. */
export const filterOperator: PipeOperator = {
  name: 'filter',
  input: ['array'],
  output: 'array',
  arguments: {
    key: {
      required: true,
      accepts: (value) => typeof value === 'string' && value !== '',
      expected: 'text that is not empty',
    },
    op: {
      default: 'eq',
      accepts: (value) => comparisons.includes(value as string),
      expected: `one of ${comparisons.join(', ')}`,
    },
    value: { nullable: true, accepts: () => true, expected: 'the value to compare with' },
    as: {
      default: 'auto',
      accepts: (value) => value === 'auto' || value === 'date',
      expected: "'auto' or 'date'",
    },
  },
  check: ({ op, as, ...rest }) => {
    const problems: string[] = [];
    const given = Object.hasOwn(rest, 'value');
    if (op === 'exists' && given) problems.push("'exists' takes no 'value'");
    if (op !== 'exists' && !given) problems.push(`'${op}' needs 'value'`);
    if ((op === 'in' || op === 'not_in') && given && !Array.isArray(rest.value))
      problems.push(`'${op}' needs a list as 'value'`);
    if (op === 'contains' && given && typeof rest.value !== 'string')
      problems.push("'contains' needs text as 'value'");
    if (as === 'date') {
      if (!ordering.includes(op as string))
        problems.push(`'as: date' works with ${ordering.join(', ')} only`);
      else if (given && readMoment(rest.value!) === undefined)
        problems.push("'value' must be a date or a time when compared as a date");
    }
    return problems;
  },
  apply: (value, { key, op, value: wanted, as }) => {
    if (!Array.isArray(value)) return { problem: 'needs a list' };
    const kept: JsonValue[] = [];
    for (const [index, item] of value.entries()) {
      if (!isObject(item) || !Object.hasOwn(item, key as string)) continue;
      const part = item[key as string]!;
      if (as === 'date') {
        if (part === null) continue;
        const order = compareMoments(part, wanted!);
        if (typeof order === 'string') return { problem: `cannot compare item ${index}: ${order}` };
        if (holds(op as string, order)) kept.push(item);
      } else if (matches(op as string, part, wanted)) kept.push(item);
    }
    return { value: kept };
  },
};

function matches(operator: string, part: JsonValue, wanted: JsonValue | undefined): boolean {
  switch (operator) {
    case 'exists':
      return part !== null;
    case 'eq':
      return jsonEqual(part, wanted);
    case 'ne':
      return !jsonEqual(part, wanted);
    case 'in':
      return (wanted as JsonValue[]).some((choice) => jsonEqual(choice, part));
    case 'not_in':
      return !(wanted as JsonValue[]).some((choice) => jsonEqual(choice, part));
    case 'contains':
      if (typeof part === 'string') return part.includes(wanted as string);
      return Array.isArray(part) && part.some((element) => jsonEqual(element, wanted));
    default: {
      const order = compareValues(part, wanted!);
      return order !== undefined && holds(operator, order);
    }
  }
}

/** Numbers with numbers and texts with texts; nothing else has an order. */
function compareValues(left: JsonValue, right: JsonValue): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : undefined;
}

function holds(operator: string, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    default:
      return order <= 0;
  }
}

/** A date or time on its own line: instants (with an offset) and local times cannot be compared with each other. */
function readMoment(value: JsonValue): { milliseconds: number; absolute: boolean } | undefined {
  if (typeof value !== 'string') return undefined;
  const time = isCalendarDate(value) ? readIsoTime(`${value}T00:00`) : readIsoTime(value);
  if (time === undefined) return undefined;
  return {
    milliseconds: wallClock(time) - (time.offsetMinutes ?? 0) * 60_000,
    absolute: time.offsetMinutes !== undefined,
  };
}

function compareMoments(left: JsonValue, right: JsonValue): number | string {
  const one = readMoment(left);
  const other = readMoment(right);
  if (one === undefined) return `${shownJson(left)} is no date or time`;
  if (other === undefined) return `${shownJson(right)} is no date or time`;
  if (one.absolute !== other.absolute) return 'one time has an offset and the other has none';
  return one.milliseconds - other.milliseconds;
}
