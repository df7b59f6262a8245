import { daysInMonth } from '../schema/date-format.js';
import { localInstant, wallClock, type ZonedFields, zonedFields } from './date-expression-zone.js';

/** Case matters: `M` is months, `m` is minutes. */
export type DateUnit = 'y' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

/** `+3d`, or `/w`: round down to the start of the unit. */
export type DateStep = { kind: 'add'; amount: number; unit: DateUnit } | { kind: 'floor'; unit: DateUnit };

const stepForm = /([+-])(\d{1,9})([yMwdhms])|\/([yMwdhms])/y;
const elapsed = { h: 3_600_000, m: 60_000, s: 1000 } as const;

/** Parses e.g. `-1M/M+6d` into steps, or says what is wrong. */
export function readDateSteps(math: string): DateStep[] | string {
  const steps: DateStep[] = [];
  stepForm.lastIndex = 0;
  while (stepForm.lastIndex < math.length) {
    const at = stepForm.lastIndex;
    const parts = stepForm.exec(math);
    if (parts === null) {
      return `math is wrong at '${math.slice(at, at + 12)}': write steps such as +1d, -2w or /M with the units y, M, w, d, h, m, s`;
    }
    if (parts[4] !== undefined) steps.push({ kind: 'floor', unit: parts[4] as DateUnit });
    else
      steps.push({
        kind: 'add',
        amount: Number(parts[2]) * (parts[1] === '-' ? -1 : 1),
        unit: parts[3] as DateUnit,
      });
  }
  return steps;
}

/**
 * Applies steps from left to right. Years, months, weeks and days follow the zone's calendar (months are clamped to
 * their last day); hours, minutes and seconds are elapsed time. Undefined when a year leaves 1 to 9999.
 */
export function applyDateSteps(
  start: number,
  steps: readonly DateStep[],
  calendar: { zone: string; weekStart: number },
): number | undefined {
  let instant = start;
  for (const step of steps) {
    instant =
      step.kind === 'add'
        ? add(instant, step.amount, step.unit, calendar.zone)
        : floor(instant, step.unit, calendar);
    if (Number.isNaN(instant)) return undefined;
  }
  const year = zonedFields(instant, calendar.zone).year;
  return year >= 1 && year <= 9999 ? instant : undefined;
}

function add(instant: number, amount: number, unit: DateUnit, zone: string): number {
  if (unit === 'h' || unit === 'm' || unit === 's') return inRange(instant + amount * elapsed[unit]);
  const fields = zonedFields(instant, zone);
  if (unit === 'y' || unit === 'M') {
    const months = fields.year * 12 + fields.month - 1 + amount * (unit === 'y' ? 12 : 1);
    const year = Math.floor(months / 12);
    if (year < 1 || year > 9999) return Number.NaN;
    const month = months - year * 12 + 1;
    return localInstant(
      { ...fields, year, month, day: Math.min(fields.day, daysInMonth(year, month)) },
      zone,
    );
  }
  const day = fields.day + amount * (unit === 'w' ? 7 : 1);
  return Math.abs(amount) > 4_000_000 ? Number.NaN : inRange(localInstant({ ...fields, day }, zone));
}

function inRange(instant: number): number {
  return Math.abs(instant) <= 8.64e15 - 86_400_000 * 2 ? instant : Number.NaN;
}

function floor(instant: number, unit: DateUnit, calendar: { zone: string; weekStart: number }): number {
  const fields = zonedFields(instant, calendar.zone);
  if (unit === 's') return instant - fields.millisecond;
  if (unit === 'm') return instant - fields.millisecond - fields.second * 1000;
  if (unit === 'h') return instant - fields.millisecond - fields.second * 1000 - fields.minute * 60_000;
  const midnight: ZonedFields = { ...fields, hour: 0, minute: 0, second: 0, millisecond: 0 };
  if (unit === 'M') midnight.day = 1;
  if (unit === 'y') Object.assign(midnight, { month: 1, day: 1 });
  if (unit === 'w') {
    // 1970-01-01 was a Thursday, the fourth day counted from Monday.
    const days = Math.floor(wallClock(midnight) / 86_400_000);
    const weekday = (((days + 3) % 7) + 7) % 7;
    midnight.day -= (weekday - calendar.weekStart + 7) % 7;
  }
  return localInstant(midnight, calendar.zone);
}
