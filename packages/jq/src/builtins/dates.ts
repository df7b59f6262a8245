import {
  type BrokenDownTime,
  fromArray,
  fromEpochSeconds,
  localZone,
  toArray,
  toEpochMilliseconds,
  utc,
} from '../dates/broken-down-time.js';
import { strftime } from '../dates/strftime.js';
import { strptime } from '../dates/strptime.js';
import type { JsonValue } from '../values/json.js';
import { raise } from '../values/raise.js';
import { type BuiltinTable, valueBuiltin } from './builtin.js';

const outOfRange = 'error converting number of seconds since epoch to datetime';

function brokenDown(input: JsonValue, name: string, isLocal: boolean): BrokenDownTime {
  if (typeof input !== 'number') return raise(`${name}() requires numeric inputs`);
  return fromEpochSeconds(input, isLocal ? localZone(input).offset : 0) ?? raise(outOfRange);
}

/** A moment as seconds or as jq's array. */
function readTime(input: JsonValue, name: string, isLocal: boolean): BrokenDownTime {
  if (typeof input === 'number') return brokenDown(input, isLocal ? 'localtime' : 'gmtime', isLocal);
  const time = Array.isArray(input) ? fromArray(input) : null;
  if (time === null) return raise(`${name}/1 requires parsed datetime inputs`);
  // Fields beyond their ranges carry over, and the day of the week and of the year follow from the date.
  return fromEpochSeconds(toEpochMilliseconds(time) / 1000) ?? raise(outOfRange);
}

function formatTime(input: JsonValue, format: JsonValue, name: string, isLocal: boolean): string {
  const time = readTime(input, name, isLocal);
  if (typeof format !== 'string') return raise(`${name}/1 requires a string format`);
  if (!isLocal) return strftime(format, time, utc);
  const { year, month, day, hour, minute, second } = time;
  const seconds = new Date(year, month, day, hour, minute, second).getTime() / 1000;
  return strftime(format, time, localZone(seconds));
}

function makeTime(input: JsonValue): number {
  if (!Array.isArray(input)) return raise('mktime requires array inputs');
  const time = fromArray(input) ?? raise('mktime requires parsed datetime inputs');
  const milliseconds = toEpochMilliseconds(time);
  return Number.isNaN(milliseconds) ? raise('invalid gmtime representation') : milliseconds / 1000;
}

function parseTime(input: JsonValue, format: JsonValue): JsonValue {
  if (typeof input !== 'string' || typeof format !== 'string') {
    return raise('strptime/1 requires string inputs and arguments');
  }
  const parsed = strptime(input, format);
  // What is left over may stand behind a blank.
  if (parsed === null || /^[^ \t-\r]/.test(parsed.rest))
    return raise(`date "${input}" does not match format "${format}"`);
  const fields = toArray(parsed.time);
  return parsed.rest === '' ? fields : [...fields, parsed.rest];
}

/** Date and time functions. Not folded into constants: local time may change while a program is kept. */
export const dateBuiltins: BuiltinTable = [
  ['gmtime/0', valueBuiltin((input) => toArray(brokenDown(input, 'gmtime', false)), false)],
  ['localtime/0', valueBuiltin((input) => toArray(brokenDown(input, 'localtime', true)), false)],
  ['mktime/0', valueBuiltin(makeTime, false)],
  ['strftime/1', valueBuiltin((input, [format]) => formatTime(input, format!, 'strftime', false), false)],
  [
    'strflocaltime/1',
    valueBuiltin((input, [format]) => formatTime(input, format!, 'strflocaltime', true), false),
  ],
  ['strptime/1', valueBuiltin((input, [format]) => parseTime(input, format!), false)],
];
