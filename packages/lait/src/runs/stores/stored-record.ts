import { LaitError } from '../../errors/lait-error.js';
import type { RunQuestion, RunRecord } from '../run-record.js';
import { isWorkedOn } from '../run-status.js';
import type { RunChange } from '../run-store.js';

/** A new record as every store keeps it. */
export function newRecord(record: RunRecord): RunRecord {
  const now = new Date().toISOString();
  return { ...record, ...whenAsked(record.questions, [], now), ...whenQueued(record.status, undefined, now) };
}

/** The record after a change: with its next revision and the times that a store keeps. */
export function changedRecord(record: RunRecord, change: RunChange): RunRecord {
  const now = new Date().toISOString();
  const { status = record.status, questions = record.questions } = change;
  return {
    ...record,
    ...change,
    ...whenAsked(questions, record.questions, now),
    ...whenQueued(status, record.status, now),
    revision: record.revision + 1,
    updated_at: now,
  };
}

/** True for a change after which nobody works on the run. */
export function endsClaim({ status }: RunChange): boolean {
  return status !== undefined && !isWorkedOn(status);
}

function whenQueued(status: string, before: string | undefined, now: string): Pick<RunRecord, 'queued_at'> {
  return status === 'queued' && before !== 'queued' ? { queued_at: now } : {};
}

/** A question that stays open keeps its time. */
function whenAsked(
  questions: readonly RunQuestion[],
  before: readonly RunQuestion[],
  now: string,
): Pick<RunRecord, 'questions'> {
  return {
    questions: questions.map((question) => ({
      ...question,
      asked_at:
        question.asked_at ?? before.find(({ address }) => address === question.address)?.asked_at ?? now,
    })),
  };
}

/** The error for a run id that is taken. */
export function runExists(runId: string): LaitError {
  return new LaitError({ code: 'run_exists', message: `run '${runId}' exists already` });
}

/** The error for a journal or record under a claim that another process has now. */
export function leaseLost(runId: string): LaitError {
  return new LaitError({
    code: 'lease_lost',
    message: `another process works on run '${runId}' now; nothing more is recorded for this one`,
    details: { run_id: runId },
  });
}
