const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const instantForm =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?$/;

/** True for `YYYY-MM-DD` that names a real day. */
export function isCalendarDate(text: string): boolean {
  const parts = dateForm.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** True for an ISO 8601 time with an offset or `Z`. */
export function isInstant(text: string): boolean {
  const parts = readIsoTime(text);
  return parts?.offsetMinutes !== undefined;
}

/** The parts of an ISO 8601 date and time; `offsetMinutes` is absent without an offset. */
export interface IsoTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  offsetMinutes?: number;
}

/** Reads `YYYY-MM-DDTHH:MM[:SS[.fff]][offset]`; undefined when the text is none or names no real time. */
export function readIsoTime(text: string): IsoTime | undefined {
  const parts = instantForm.exec(text);
  if (parts === null || !isCalendarDate(parts[1]!)) return undefined;
  const [year, month, day] = parts[1]!.split('-').map(Number) as [number, number, number];
  const [hour, minute, second] = [Number(parts[2]), Number(parts[3]), Number(parts[4] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetMinutes(parts[6]);
  if (offset === null) return undefined;
  const millisecond = Math.trunc(Number(`0${parts[5] ?? ''}`) * 1000);
  return {
    year,
    month,
    day,
    hour,
    minute,
    second,
    millisecond,
    ...(offset !== undefined && { offsetMinutes: offset }),
  };
}

/** Minutes east of UTC; undefined without an offset, null for an impossible one. */
function offsetMinutes(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  if (text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** Days of a month, 28 to 31. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
