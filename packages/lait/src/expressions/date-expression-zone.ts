/** Wall-clock fields in a time zone. Months count from 1. */
export interface ZonedFields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  let known = formatters.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      // `iso8601` tells no era, and follows the Julian calendar before 1582.
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(zone, known);
  }
  return known;
}

/** True for a time zone that the platform knows. */
export function isTimeZone(zone: string): boolean {
  try {
    formatter(zone);
    return true;
  } catch {
    return false;
  }
}

/** Local milliseconds minus UTC milliseconds at an instant. */
function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const whole = Math.floor(instant / 1000) * 1000;
  const fields: Record<string, string> = {};
  for (const part of formatter(zone).formatToParts(whole)) fields[part.type] = part.value;
  const year = fields.era === 'BC' ? 1 - Number(fields.year) : Number(fields.year);
  return (
    wallClock({
      year,
      month: Number(fields.month),
      day: Number(fields.day),
      hour: Number(fields.hour),
      minute: Number(fields.minute),
      second: Number(fields.second),
      millisecond: 0,
    }) - whole
  );
}

/** Fields as if they were UTC, in milliseconds; fields beyond their range carry over. */
export function wallClock(fields: ZonedFields): number {
  const date = new Date(0);
  date.setUTCFullYear(fields.year, fields.month - 1, fields.day);
  date.setUTCHours(fields.hour, fields.minute, fields.second, fields.millisecond);
  return date.getTime();
}

/** The wall clock of a zone at an instant. */
export function zonedFields(instant: number, zone: string): ZonedFields {
  const local = new Date(instant + offsetAt(instant, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
  };
}

/**
 * The instant at which a zone's clock shows the fields. A time that happens twice means the first one; a time that
 * the clock skips moves forward by the length of the gap.
 */
export function localInstant(fields: ZonedFields, zone: string): number {
  const local = wallClock(fields);
  const day = 86_400_000;
  const before = offsetAt(local - day, zone);
  const after = offsetAt(local + day, zone);
  for (const offset of [before, after]) {
    const instant = local - offset;
    if (offsetAt(instant, zone) === offset) return instant;
  }
  return local - before;
}

/** `+09:00` at an instant. */
export function offsetText(instant: number, zone: string): string {
  const minutes = Math.round(offsetAt(instant, zone) / 60_000);
  const absolute = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}
