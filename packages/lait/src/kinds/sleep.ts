import { completed, type Kind } from './kind.js';

/** How long: milliseconds from now, or until an instant in milliseconds since 1970. */
type SleepFields = { milliseconds: number } | { until: number };

/** `sleep` and `sleepUntil` of the dynamic form: waits, and passes its input on. Source: dynamic seed, Sleep エントリ. */
export const sleepKind: Kind<SleepFields> = {
  name: 'sleep',
  shape: 'action',
  description: 'Waits for a time or until an instant; the value is the input.',
  // The instant at which it ends is recorded: a recovered run does not wait again.
  effects: 'rerun',
  async execute(fields, context) {
    const now = await context.now();
    const until = 'until' in fields ? fields.until : now + fields.milliseconds;
    if (until > now) await context.sleep(until);
    return completed(context.input);
  },
};
