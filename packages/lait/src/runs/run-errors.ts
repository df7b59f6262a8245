import { UsageError } from '../errors/errors.js';
import type { RunRecord } from './run-record.js';

/** Nobody knows the run: a server answers 404. */
export function runNotFound(runId: string): UsageError {
  return new UsageError({
    code: 'run_not_found',
    message: `there is no run '${runId}'`,
    details: { run_id: runId },
  });
}

/** The run stands where this cannot be done, or another was faster: a server answers 409. */
export function runConflict(record: RunRecord, message: string): UsageError {
  const { run_id, status, updated_at } = record;
  return new UsageError({
    code: 'run_conflict',
    message: `run '${run_id}' ${message}; it has been ${status} since ${updated_at}`,
    details: { run_id, status },
  });
}

/** An answer that does not fit its question: a server answers 422. */
export function answerInvalid(message: string): UsageError {
  return new UsageError({ code: 'answer_invalid', message });
}
