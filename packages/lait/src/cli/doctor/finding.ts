import { printable } from '../../observe/printable.js';

export interface Finding {
  status: 'ok' | 'warn' | 'ng';
  /** What was looked at, e.g. `models.local`. */
  subject: string;
  message: string;
  /** What to do about it. */
  hint?: string;
}

export type Report = (finding: Finding) => Promise<void>;

const words = { ok: 'OK  ', warn: 'WARN', ng: 'NG  ' } as const;

export function findingText({ status, subject, message, hint }: Finding): string {
  const advice = hint === undefined ? '' : `     hint: ${printable(hint)}\n`;
  return `${words[status]} ${printable(`${subject}: ${message}`)}\n${advice}`;
}
