import { StepError } from '../errors/errors.js';
import { isCalendarDate, readIsoTime } from '../schema/date-format.js';
import { shownJson } from '../values/text.js';
import { isObject, type JsonValue, ownProperty } from '../values/value.js';
import { applyDateSteps, type DateStep, readDateSteps } from './date-expression-math.js';
import { isTimeZone, localInstant, offsetText, wallClock, zonedFields } from './date-expression-zone.js';
import type { Scope } from './scope.js';
import { parseTypedReference, resolveReference, type TypedReference } from './typed-reference.js';

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const parts = ['kind', 'version', 'anchor', 'math', 'timezone', 'week_starts_on', 'result'];

/** A checked `$expr`. Source: graph facts §3.5. */
export interface DateExpression {
  anchor: 'now' | TypedReference;
  steps: readonly DateStep[];
  /** Absent: the setting of the installation. */
  timeZone?: string;
  /** 0 for Monday. */
  weekStart: number;
  result: 'date' | 'datetime';
}

/** Checks the body of a `$expr` and reports every problem. */
export function readDateExpression(body: JsonValue): { expression?: DateExpression; problems: string[] } {
  if (!isObject(body))
    return { problems: ['$expr must be an object with kind, version, anchor, math and result'] };
  const problems: string[] = [];
  for (const key of Object.keys(body))
    if (!parts.includes(key)) problems.push(`$expr has no '${key}'; known are ${parts.join(', ')}`);
  if (ownProperty(body, 'kind') !== 'date_math') problems.push("kind must be 'date_math'");
  if (ownProperty(body, 'version') !== 1) problems.push('version must be 1');
  const anchor = readAnchor(ownProperty(body, 'anchor'));
  if (typeof anchor === 'string' && anchor !== 'now') problems.push(anchor);
  const math = ownProperty(body, 'math') ?? '';
  const steps = typeof math === 'string' ? readDateSteps(math) : 'math must be text such as /w+6d';
  if (typeof steps === 'string') problems.push(steps);
  const zone = ownProperty(body, 'timezone') ?? undefined;
  if (zone !== undefined && !(typeof zone === 'string' && isTimeZone(zone)))
    problems.push(
      `timezone ${JSON.stringify(zone)} is no known time zone; use an IANA name such as Asia/Tokyo`,
    );
  const week = ownProperty(body, 'week_starts_on') ?? 'monday';
  const weekStart = weekdays.indexOf(week as string);
  if (weekStart < 0) problems.push(`week_starts_on must be one of ${weekdays.join(', ')}`);
  const result = ownProperty(body, 'result');
  if (result !== 'date' && result !== 'datetime') problems.push("result must be 'date' or 'datetime'");
  if (problems.length > 0) return { problems };
  return {
    problems,
    expression: {
      anchor: anchor as 'now' | TypedReference,
      steps: steps as DateStep[],
      ...(zone !== undefined && { timeZone: zone as string }),
      weekStart,
      result: result as 'date' | 'datetime',
    },
  };
}

/** The anchor, or what is wrong with it. A reference may be written plainly or as `{"$ref": path}`. */
function readAnchor(anchor: JsonValue | undefined): 'now' | TypedReference | (string & {}) {
  if (anchor === 'now') return 'now';
  const path = isObject(anchor) && Object.keys(anchor).length === 1 ? ownProperty(anchor, '$ref') : anchor;
  if (typeof path !== 'string' || path.trim() === '')
    return "anchor must be 'now' or a plain reference to a date or a time";
  const parsed = parseTypedReference(path);
  return 'reference' in parsed ? parsed.reference : parsed.problem;
}

/**
 * Computes a date expression. `now` is the run's reference time, so that every resume sees the same day. Throws a
 * `StepError` with code `expression_failed` or `reference_unresolved`.
 */
export function evaluateDateExpression(expression: DateExpression, scope: Scope): string {
  const zone = expression.timeZone ?? contextTimeZone(scope.context);
  const source =
    expression.anchor === 'now' ? scope.context.reference_time : resolveReference(expression.anchor, scope);
  const start = typeof source === 'string' ? readInstant(source, zone) : undefined;
  if (start === undefined)
    throw failed(`the anchor ${source === undefined ? 'now' : shownJson(source)} is no date or time`);
  const instant = applyDateSteps(start, expression.steps, { zone, weekStart: expression.weekStart });
  if (instant === undefined) throw failed('the result lies outside the years 1 to 9999');
  return format(instant, zone, expression.result);
}

/** The zone that a run counts in: `time_zone` of its context, else UTC. */
export function contextTimeZone(context: Scope['context']): string {
  const zone = Object.hasOwn(context, 'time_zone') ? context.time_zone : undefined;
  return typeof zone === 'string' ? zone : 'UTC';
}

/** Milliseconds since 1970 of a date (its first moment in the zone) or a time (in the zone when it has no offset). */
export function readInstant(text: string, zone: string): number | undefined {
  const time = isCalendarDate(text) ? readIsoTime(`${text}T00:00`) : readIsoTime(text);
  if (time === undefined) return undefined;
  if (time.offsetMinutes === undefined) return localInstant(time, zone);
  return wallClock(time) - time.offsetMinutes * 60_000;
}

function format(instant: number, zone: string, result: 'date' | 'datetime'): string {
  const fields = zonedFields(instant, zone);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${String(fields.year).padStart(4, '0')}-${two(fields.month)}-${two(fields.day)}`;
  if (result === 'date') return date;
  const fraction = fields.millisecond === 0 ? '' : `.${String(fields.millisecond).padStart(3, '0')}`;
  return `${date}T${two(fields.hour)}:${two(fields.minute)}:${two(fields.second)}${fraction}${offsetText(instant, zone)}`;
}

function failed(message: string): StepError {
  return new StepError({ code: 'expression_failed', message: `date expression: ${message}` });
}
