import type { ErrorCategory } from '../errors/lait-error.js';
import { isLaitError } from '../errors/lait-error.js';

/** Exit codes under every command. There are no others. Source: design §6. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  definition: 3,
  model: 4,
  timeout: 5,
  parked: 75,
  cancelled: 130,
} as const satisfies Record<ErrorCategory | 'ok' | 'parked', number>;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of an error: by its category, and 1 for one that is not ours. */
export function exitCodeOf(error: unknown): ExitCode {
  return isLaitError(error) ? exitCodes[error.category] : exitCodes.failed;
}
