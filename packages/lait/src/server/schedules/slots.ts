import { Cron } from 'croner';
import { unprocessable } from '../http/problem.js';

/** When a schedule fires: every slot of a cron expression, in the days and hours of a time zone. */
export interface CronTimes {
  cron: string;
  timeZone: string;
}

/** Throws an `HttpProblem` (422 `schedule_invalid`) for an expression that is none, never fires, or an unknown zone. */
export function checkCron({ cron, timeZone }: CronTimes): void {
  const refuse = (path: string, message: string) =>
    unprocessable('schedule_invalid', `${path}: ${message}`, [{ in: 'body', path, message }]);
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw refuse('time_zone', `'${timeZone}' is no IANA time zone, e.g. 'Europe/Berlin'`);
  }
  let next: number | null;
  try {
    next = nextSlot({ cron, timeZone }, Date.now());
  } catch (error) {
    throw refuse('cron', (error as Error).message);
  }
  if (next === null) throw refuse('cron', `'${cron}' never fires`);
}

/** The first slot behind an instant; null when there is none. */
export function nextSlot(times: CronTimes, after: number): number | null {
  return cronOf(times).nextRun(new Date(after))?.getTime() ?? null;
}

/** The newest slots from `from` to `to`, both included, the oldest first; `most` of them. */
export function slotsBetween(times: CronTimes, from: number, to: number, most: number): number[] {
  // The reference itself does not count, and slots are whole seconds.
  const reference = new Date(Math.floor(to / 1000) * 1000 + 1000);
  return cronOf(times)
    .previousRuns(most + 1, reference)
    .map((slot) => slot.getTime())
    .filter((slot) => slot >= from && slot <= to)
    .sort((one, other) => one - other)
    .slice(-most);
}

function cronOf({ cron, timeZone }: CronTimes): Cron {
  return new Cron(cron, { timezone: timeZone, paused: true });
}
