import { CancelledError } from '../errors/errors.js';
import { isLaitError } from '../errors/lait-error.js';

/** Why a pass is stopped to go on later: nobody wants less of the run. */
export class PassInterruption extends CancelledError {
  constructor(message: string, cause?: unknown) {
    super({ code: 'interrupted', message, cause });
  }
}

/** Why a pass is stopped whose run another process has taken over: nothing more may be stored for it. */
export class LeaseLost extends CancelledError {
  constructor(cause?: unknown) {
    super({ code: 'lease_lost', message: 'another process works on the run now', cause });
  }
}

/** What stops a pass whose outcomes could not be recorded. */
export function recordingFailed(error: unknown): CancelledError {
  return isLeaseLost(error)
    ? new LeaseLost(error)
    : new PassInterruption('what happened could not be recorded', error);
}

export function isLeaseLost(error: unknown): boolean {
  return isLaitError(error) && error.code === 'lease_lost';
}
