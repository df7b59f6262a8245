import type { JsonArray, JsonValue } from '../values/json.js';

/** A moment in calendar fields, as C's `struct tm` and jq's arrays have them. */
export interface BrokenDownTime {
  year: number;
  /** 0 to 11. */
  month: number;
  /** 1 to 31. */
  day: number;
  hour: number;
  minute: number;
  /** May have a fraction. */
  second: number;
  /** 0 is Sunday. */
  weekday: number;
  /** 0 is January 1st. */
  dayOfYear: number;
}

/** Where a moment is shown. */
export interface Zone {
  /** Minutes east of UTC. */
  readonly offset: number;
  readonly name: string;
}

export const utc: Zone = { offset: 0, name: 'UTC' };

const dayMilliseconds = 86_400_000;

/** Milliseconds since the epoch of calendar fields in UTC. Fields beyond their ranges carry over. */
export function toEpochMilliseconds(time: Omit<BrokenDownTime, 'weekday' | 'dayOfYear'>): number {
  // Date.UTC takes two-digit years for the 20th century; a leap cycle later they are safe.
  const cycles = time.year >= 0 && time.year < 100 ? 1 : 0;
  const shifted = Date.UTC(
    time.year + 400 * cycles,
    time.month,
    time.day,
    time.hour,
    time.minute,
    Math.floor(time.second),
  );
  return shifted - 146_097 * cycles * dayMilliseconds;
}

/** The calendar fields of a moment in seconds, or null when it is outside what calendars cover. */
export function fromEpochSeconds(seconds: number, offsetMinutes = 0): BrokenDownTime | null {
  // Whole seconds are cut towards zero and fractions taken from below, as jq does.
  const whole = Math.trunc(seconds);
  const date = new Date((whole + offsetMinutes * 60) * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const year = date.getUTCFullYear();
  const time = {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds() + (seconds - Math.floor(seconds)),
    weekday: date.getUTCDay(),
  };
  return { ...time, dayOfYear: dayOfYear(time) };
}

/** The day's number in its year, from 0. */
function dayOfYear({ year, month, day }: { year: number; month: number; day: number }): number {
  const midnight = { hour: 0, minute: 0, second: 0 };
  const start = toEpochMilliseconds({ year, month: 0, day: 1, ...midnight });
  return Math.round((toEpochMilliseconds({ year, month, day, ...midnight }) - start) / dayMilliseconds);
}

/** The zone of this machine at a moment. */
export function localZone(seconds: number): Zone {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return utc;
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return { offset: -date.getTimezoneOffset(), name };
}

/** jq's array of a moment. */
export function toArray(time: BrokenDownTime): JsonArray {
  const { year, month, day, hour, minute, second, weekday, dayOfYear } = time;
  return [year, month, day, hour, minute, second, weekday, dayOfYear];
}

/** Reads jq's array; missing fields are 0, as C has them: the year is 1900. Null when a field is not a number. */
export function fromArray(fields: readonly JsonValue[]): BrokenDownTime | null {
  const known = fields.slice(0, 8);
  if (!known.every((field) => typeof field === 'number' && Number.isFinite(field))) return null;
  const [year = 1900, month = 0, day = 0, hour = 0, minute = 0, second = 0, weekday = 0, dayOfYear = 0] = (
    known as number[]
  ).map(Math.trunc);
  return { year, month, day, hour, minute, second, weekday, dayOfYear };
}
