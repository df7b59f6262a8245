import type { RunEvent, RunEventType } from '../../../engine/events.js';
import type { Form } from '../../../plan/plan.js';
import type { NewRunEvent, RunLogEvent } from '../../../runs/run-record.js';
import type { JsonObject } from '../../../values/value.js';

/** An engine event as a run's log keeps it. */
const engineEntryType = 'engine_event';

/** What runs of the dynamic form are shown by. Tokens and replies of models are not kept. */
const kept: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'step.started',
  'step.completed',
  'step.failed',
  'iteration.started',
  'iteration.completed',
  'sleep.started',
  'question.asked',
  'question.answered',
  'run.failed',
  'model.responded',
]);

/**
 * The log entries of an engine event: results and streams of the dynamic form are made from them, in any process and at
 * any time. What a run only repeats on its way back is logged once.
 */
export function engineEntriesOf(form: Form, event: RunEvent): NewRunEvent[] {
  if (form !== 'dynamic' || !kept.has(event.type)) return [];
  const payload = { at: Date.now(), event: event as unknown as JsonObject };
  if (event.type === 'model.responded') {
    const { reply, ...told } = event;
    return [{ event_type: engineEntryType, payload: { ...payload, event: told as unknown as JsonObject } }];
  }
  return [{ event_type: engineEntryType, payload, key: keyOf(event) }];
}

/** The engine event of a log entry, with its time in milliseconds since 1970. */
export function engineEventOf({
  event_type,
  payload,
}: RunLogEvent): { event: RunEvent; at: number } | undefined {
  if (event_type !== engineEntryType) return undefined;
  return { event: payload.event as unknown as RunEvent, at: payload.at as number };
}

function keyOf(event: RunEvent): string {
  const address = 'address' in event ? (event.address ?? '') : '';
  const index = 'index' in event ? ` ${event.index}` : '';
  return `engine ${event.type} ${address}${index}`;
}
