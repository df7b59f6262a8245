import { type BrokenDownTime, toEpochMilliseconds, type Zone } from './broken-down-time.js';
import { months, weekdays } from './names.js';

/** A number and how it is usually padded. */
interface Padded {
  readonly value: number;
  readonly width: number;
  readonly fill: '0' | ' ';
}

const zeros = (value: number, width = 2): Padded => ({ value, width, fill: '0' });
const blanks = (value: number, width = 2): Padded => ({ value, width, fill: ' ' });

/** Formats that stand for several others. */
const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

/** Formats a moment as C's strftime does in the C locale, with GNU's flags `-`, `_`, `0`, `^`, `#`. */
export function strftime(format: string, time: BrokenDownTime, zone: Zone): string {
  return format.replace(
    /%([-_0^#]*)([0-9]*)[EO]?([a-zA-Z%])/g,
    (all, flags: string, width: string, kind: string) => {
      const composite = composites[kind];
      const part = composite === undefined ? convert(kind, time, zone) : strftime(composite, time, zone);
      if (part === null) return all;
      return typeof part === 'string' ? padText(part, flags, width) : padNumber(part, flags, width);
    },
  );
}

function padText(text: string, flags: string, width: string): string {
  let shown = flags.includes('^') ? text.toUpperCase() : text;
  if (flags.includes('#')) shown = shown === shown.toUpperCase() ? shown.toLowerCase() : shown.toUpperCase();
  return shown.padStart(Number(width), flags.includes('0') ? '0' : ' ');
}

function padNumber({ value, width, fill }: Padded, flags: string, given: string): string {
  const digits = String(Math.abs(value));
  const sign = value < 0 ? '-' : '';
  if (flags.includes('-')) return sign + digits;
  const filler = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : fill;
  return sign + digits.padStart(given === '' ? width : Number(given), filler);
}

function convert(kind: string, time: BrokenDownTime, zone: Zone): string | Padded | null {
  const { year, month, day, hour, weekday, dayOfYear } = time;
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  switch (kind) {
    case 'a':
      return weekdays[weekday]?.slice(0, 3) ?? '?';
    case 'A':
      return weekdays[weekday] ?? '?';
    case 'b':
    case 'h':
      return months[month]?.slice(0, 3) ?? '?';
    case 'B':
      return months[month] ?? '?';
    case 'C':
      return zeros(Math.floor(year / 100));
    case 'd':
      return zeros(day);
    case 'e':
      return blanks(day);
    case 'g':
      return zeros(isoWeek(time).year % 100);
    case 'G':
      return zeros(isoWeek(time).year, 4);
    case 'H':
      return zeros(hour);
    case 'I':
      return zeros(twelve);
    case 'j':
      return zeros(dayOfYear + 1, 3);
    case 'k':
      return blanks(hour);
    case 'l':
      return blanks(twelve);
    case 'm':
      return zeros(month + 1);
    case 'M':
      return zeros(time.minute);
    case 'n':
      return '\n';
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'P':
      return hour < 12 ? 'am' : 'pm';
    case 's':
      return String(Math.floor(toEpochMilliseconds(time) / 1000) - zone.offset * 60);
    case 'S':
      return zeros(Math.floor(time.second));
    case 't':
      return '\t';
    case 'u':
      return zeros(weekday === 0 ? 7 : weekday, 1);
    case 'U':
      return zeros(Math.floor((dayOfYear + 7 - weekday) / 7));
    case 'V':
      return zeros(isoWeek(time).week);
    case 'w':
      return zeros(weekday, 1);
    case 'W':
      return zeros(Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7));
    case 'y':
      return zeros(((year % 100) + 100) % 100);
    case 'Y':
      return year > 9999 ? `+${year}` : zeros(year, 4);
    case 'z':
      return offsetText(zone.offset);
    case 'Z':
      return zone.name;
    case '%':
      return '%';
    default:
      return null;
  }
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${String(minutes % 60).padStart(2, '0')}`;
}

/** Week number and year of ISO 8601: weeks begin on Monday and belong to the year of their Thursday. */
function isoWeek({ year, weekday, dayOfYear }: BrokenDownTime): { year: number; week: number } {
  const week = Math.floor((dayOfYear - ((weekday + 6) % 7) + 10) / 7);
  if (week < 1) return { year: year - 1, week: weeksIn(year - 1) };
  return week > weeksIn(year) ? { year: year + 1, week: 1 } : { year, week };
}

function weeksIn(year: number): number {
  const weekdayOfLast = (at: number): number =>
    (((at + Math.floor(at / 4) - Math.floor(at / 100) + Math.floor(at / 400)) % 7) + 7) % 7;
  return weekdayOfLast(year) === 4 || weekdayOfLast(year - 1) === 3 ? 53 : 52;
}
