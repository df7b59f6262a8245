import { messageChain } from '../../errors/lait-error.js';
import { printable } from '../../values/printable.js';

export interface Finding {
  status: 'ok' | 'warn' | 'ng';
  /** What was looked at, e.g. `models.local`. */
  subject: string;
  message: string;
  /** What to do about it. */
  hint?: string;
}

export type Report = (finding: Finding) => Promise<void>;

/** Reports the message of a check, or why it failed with what to do then. Throws only when `signal` has been aborted. */
export async function reportCheck(
  { subject, hint }: Pick<Finding, 'subject' | 'hint'>,
  check: () => Promise<string>,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  try {
    await report({ status: 'ok', subject, message: await check() });
  } catch (error) {
    signal.throwIfAborted();
    await report({ status: 'ng', subject, message: messageChain(error), hint });
  }
}

const words = { ok: 'OK  ', warn: 'WARN', ng: 'NG  ' } as const;

export function findingText({ status, subject, message, hint }: Finding): string {
  const advice = hint === undefined ? '' : `     hint: ${printable(hint)}\n`;
  return `${words[status]} ${printable(`${subject}: ${message}`)}\n${advice}`;
}
